/** Times are held to their limits only on request, on a quiet machine: E2E_MEASURE=1 ./test e2e -- latency first-visit */
export const MEASURING = process.env.E2E_MEASURE === '1'
