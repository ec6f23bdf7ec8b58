/** A chart as a file: SVG with its title, or PNG of it at twice the size. */
import type { ChartTheme } from './style'

const SVG = 'http://www.w3.org/2000/svg'
const PAD = 16
const TITLE = 20
const CAPTION = 13

/** The picture, complete: title and caption above it, on paper. */
export function asSvg(inner: SVGSVGElement, title: string, caption: string, theme: ChartTheme): string {
  const [width, height] = [inner.width.baseVal.value, inner.height.baseVal.value]
  const lines = [
    ...wrapped(title, width / (TITLE * 0.56)).map((text) => ({
      text,
      size: TITLE,
      ink: theme.color.ink,
      weight: 650,
    })),
    ...wrapped(caption, width / (CAPTION * 0.52)).map((text) => ({
      text,
      size: CAPTION,
      ink: theme.color['ink-3'],
      weight: 400,
    })),
  ]
  const outer = document.createElementNS(SVG, 'svg')
  const paper = document.createElementNS(SVG, 'rect')
  outer.append(paper)
  let y = PAD
  for (const { text, size, ink, weight } of lines) {
    const node = document.createElementNS(SVG, 'text')
    y += size * 1.25
    set(node, { x: PAD, y, 'font-size': size, 'font-weight': weight, fill: ink })
    node.textContent = text
    outer.append(node)
  }
  const [w, h] = [Math.ceil(width) + 2 * PAD, Math.ceil(y + height) + 2 * PAD]
  set(outer, { xmlns: SVG, width: w, height: h, viewBox: `0 0 ${w} ${h}`, 'font-family': theme.sans })
  set(paper, { width: w, height: h, fill: theme.color.paper })
  set(inner, { x: PAD, y: y + PAD })
  outer.append(inner)
  return new XMLSerializer().serializeToString(outer)
}

function set(node: Element, attributes: Record<string, string | number>): void {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value))
}

/** Lines of about so many letters: a file cannot break them by itself. */
export function wrapped(text: string, most: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= most)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
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
