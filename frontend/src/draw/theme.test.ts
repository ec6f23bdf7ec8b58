import { describe, expect, it } from 'vitest'
import { fade, luminance, mix, parseColor, readTheme } from './theme'

describe('colours', () => {
  it('are read in every notation the tokens use', () => {
    expect(parseColor('#FAF9F6')).toEqual([250, 249, 246])
    expect(parseColor('#fff')).toEqual([255, 255, 255])
    expect(parseColor('rgb(1, 2, 3)')).toEqual([1, 2, 3])
  })

  it('mix towards another', () => {
    expect(mix('#000000', '#ffffff', 0)).toBe('rgb(0, 0, 0)')
    expect(mix('#000000', '#ffffff', 0.5)).toBe('rgb(128, 128, 128)')
    expect(fade('#010203', 0.5)).toBe('rgba(1, 2, 3, 0.5)')
  })

  it('tell light from dark', () => {
    expect(luminance('#ffffff')).toBeCloseTo(1)
    expect(luminance('#000000')).toBe(0)
    expect(readTheme(null).dark).toBe(false)
  })

  it('keep text at 4.5 : 1 on paper', () => {
    const { color } = readTheme(null)
    const contrast = (a: string, b: string): number => {
      const [high, low] = [luminance(a), luminance(b)].sort((p, q) => q - p) as [number, number]
      return (high + 0.05) / (low + 0.05)
    }
    for (const ink of ['ink', 'ink-2', 'ink-3', 'legit', 'wrong-ink', 'pub', 'sub'] as const)
      expect(contrast(color[ink], color.paper), ink).toBeGreaterThan(4.5)
  })
})
