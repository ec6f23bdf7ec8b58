/** A chart as a file: SVG with its title, or PNG of it at twice the size. */
import type { ChartTheme } from './style'

const SVG = 'http://www.w3.org/2000/svg'
const HEAD = 64
const PAD = 16

/** The picture, complete: title and caption above it, on paper. */
export function asSvg(inner: SVGSVGElement, title: string, caption: string, theme: ChartTheme): string {
  const [width, height] = [inner.width.baseVal.value, inner.height.baseVal.value]
  const outer = document.createElementNS(SVG, 'svg')
  const set = (node: Element, attributes: Record<string, string | number>): void => {
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value))
  }
  const [w, h] = [Math.ceil(width) + 2 * PAD, Math.ceil(height) + HEAD + 2 * PAD]
  set(outer, { xmlns: SVG, width: w, height: h, viewBox: `0 0 ${w} ${h}`, 'font-family': theme.sans })
  const paper = document.createElementNS(SVG, 'rect')
  set(paper, { width: w, height: h, fill: theme.color.paper })
  set(inner, { x: PAD, y: HEAD + PAD })
  outer.append(
    paper,
    line(title, 34, { 'font-size': 20, 'font-weight': 650, fill: theme.color.ink }),
    line(caption, 58, { 'font-size': 13, fill: theme.color['ink-3'] }),
    inner,
  )
  return new XMLSerializer().serializeToString(outer)

  function line(text: string, y: number, attributes: Record<string, string | number>): SVGTextElement {
    const node = document.createElementNS(SVG, 'text')
    set(node, { x: PAD, y, ...attributes })
    node.textContent = text
    return node
  }
}

/** The same as pixels. Rejects where the browser cannot. */
export async function asPng(svg: string, scale = 2): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
  try {
    const image = new Image()
    image.src = url
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = image.width * scale
    canvas.height = image.height * scale
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
    return await new Promise((done, fail) => {
      canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('this browser makes no PNG'))), 'image/png')
    })
  } finally {
    URL.revokeObjectURL(url)
  }
}
