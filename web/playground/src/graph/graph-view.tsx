// The graph as a picture: what is in sight of a layout that may be very large.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Box, Edge, Layout } from './layout.js';
import { neighbourOf } from './neighbours.js';
import { beginning, carriedOver, centred, fitted, usePanAndZoom, useSize, zoomed } from './viewport.js';
import type { Viewport } from './viewport.js';

interface Properties {
  readonly layout: Layout;
  /** A finer layout is on its way. */
  readonly refining: boolean;
  readonly selected: string | undefined;
  /** From 0 to 1, by node index. */
  readonly heat: ReadonlyMap<number, number>;
  /** What stands at an edge. */
  readonly shapeOf: (value: string) => string;
  readonly onSelect: (id: string | undefined) => void;
}

const LABELS_FROM_SCALE = 0.5;
const MARGIN = 80;

export function GraphView({ layout, refining, selected, heat, shapeOf, onSelect }: Properties) {
  const svg = useRef<SVGSVGElement>(null);
  const frame = useSize(svg);
  const [view, setView] = useState<Viewport>();
  const boxes = useMemo(() => new Map(layout.boxes.map((box) => [box.id, box])), [layout]);
  const first = layout.boxes[0]?.id;
  const change = useCallback((update: (view: Viewport) => Viewport) => {
    setView((now) => now && update(now));
  }, []);
  usePanAndZoom(svg, change);

  const shown = useRef<Layout | null>(null);
  useEffect(() => {
    if (frame.width === 0) return;
    const before = shown.current;
    shown.current = layout;
    setView((now) => (before && now ? carriedOver(now, frame, before, layout) : beginning(layout, frame)));
    // A new size of the frame keeps the place.
  }, [layout, frame.width > 0]);
  useEffect(() => {
    const box = selected === undefined ? undefined : boxes.get(selected);
    if (box && view && !isInSight(box, view, frame)) setView(centred(view, frame, box));
  }, [selected]);

  const step = (event: KeyboardEvent, from: string) => {
    if (event.key === 'Escape') {
      onSelect(undefined);
      return;
    }
    const to = neighbourOf(layout, from, event.key);
    if (to === undefined) return;
    event.preventDefault();
    onSelect(to);
    requestAnimationFrame(() => svg.current?.querySelector<SVGGElement>(`[data-id="${CSS.escape(to)}"]`)?.focus());
  };
  const middle = { x: frame.width / 2, y: frame.height / 2 };
  return (
    <div class="graph">
      <svg ref={svg} class="graph-drawing" role="group" aria-label="The graph. Arrow keys go from node to node.">
        {view && (
          <g transform={`translate(${view.x} ${view.y}) scale(${view.scale})`}>
            <Edges edges={layout.edges} view={view} frame={frame} selected={selected} shapeOf={shapeOf} />
            {layout.boxes
              .filter((box) => box.id === selected || box.id === first || isNear(box, view, frame))
              .map((box) => (
                <BoxView
                  key={box.id}
                  box={box}
                  heat={heat.get(box.node)}
                  selected={box.id === selected}
                  reachable={box.id === (selected ?? first)}
                  onSelect={onSelect}
                  onKey={step}
                />
              ))}
          </g>
        )}
      </svg>
      {refining && (
        <p class="graph-refining hint" role="status">
          Arranging …
        </p>
      )}
      <div class="graph-tools">
        <button type="button" aria-label="Zoom in" onClick={() => change((now) => zoomed(now, 1.35, middle))}>
          +
        </button>
        <button type="button" aria-label="Zoom out" onClick={() => change((now) => zoomed(now, 1 / 1.35, middle))}>
          −
        </button>
        <button type="button" onClick={() => setView(fitted(layout, frame))}>
          Fit
        </button>
      </div>
    </div>
  );
}

function isInSight(box: Box, { x, y, scale }: Viewport, frame: { width: number; height: number }, margin = 0): boolean {
  const left = (box.x - box.width / 2) * scale + x;
  const top = (box.y - box.height / 2) * scale + y;
  return (
    left + box.width * scale >= -margin &&
    top + box.height * scale >= -margin &&
    left <= frame.width + margin &&
    top <= frame.height + margin
  );
}

function isNear(box: Box, view: Viewport, frame: { width: number; height: number }): boolean {
  return isInSight(box, view, frame, MARGIN);
}

interface BoxProperties {
  readonly box: Box;
  readonly heat: number | undefined;
  readonly selected: boolean;
  readonly reachable: boolean;
  readonly onSelect: (id: string) => void;
  readonly onKey: (event: KeyboardEvent, from: string) => void;
}

function BoxView({ box, heat, selected, reachable, onSelect, onKey }: BoxProperties) {
  const { id, kind, label, x, y, width, height } = box;
  const shown = label.length * 7.4 > width - 16 ? `${label.slice(0, Math.floor((width - 24) / 7.4))}…` : label;
  return (
    <g
      class={`box ${kind} ${selected ? 'selected' : ''}`}
      data-id={id}
      transform={`translate(${x - width / 2} ${y - height / 2})`}
      style={heat === undefined ? undefined : { '--heat': `${Math.round(heat * 100)}%` }}
      role="button"
      tabindex={reachable ? 0 : -1}
      aria-label={kind === 'node' ? label : `${kind} ${label}`}
      aria-pressed={selected}
      onClick={() => {
        onSelect(id);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' || event.key === ' ') {
          event.preventDefault();
          onSelect(id);
        } else onKey(event, id);
      }}
    >
      <rect width={width} height={height} rx={kind === 'node' ? 8 : height / 2} />
      <text x={width / 2} y={height / 2 + 4.5}>
        {shown}
      </text>
    </g>
  );
}

interface EdgesProperties {
  readonly edges: readonly Edge[];
  readonly view: Viewport;
  readonly frame: { readonly width: number; readonly height: number };
  readonly selected: string | undefined;
  readonly shapeOf: (value: string) => string;
}

function Edges({ edges, view, frame, selected, shapeOf }: EdgesProperties) {
  const inSight = edges.filter(({ points }) => {
    const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const box = { x: (left + right) / 2, y: (top + bottom) / 2, width: right - left, height: bottom - top };
    return isInSight(box as Box, view, frame, MARGIN);
  });
  const labelled = new Set<string>();
  return (
    <>
      {inSight.map((edge) => (
        <path
          key={`${edge.from} ${edge.to} ${edge.value}`}
          class={`edge ${edge.from === selected || edge.to === selected ? 'near' : ''}`}
          d={curve(edge.points)}
        />
      ))}
      {view.scale >= LABELS_FROM_SCALE &&
        inSight.map((edge) => {
          const text = labelled.has(edge.value) ? '' : shapeOf(edge.value);
          labelled.add(edge.value);
          const at = edge.points[1] ?? edge.points[0];
          return (
            text !== '' &&
            at && (
              <text key={`label ${edge.value}`} class="edge-label" x={at[0]} y={at[1] + 4}>
                {text}
              </text>
            )
          );
        })}
    </>
  );
}

/** Through the middles of the stretches between points, bent at the points. */
function curve(points: Edge['points']): string {
  const [first, ...rest] = points;
  if (!first) return '';
  let path = `M${first[0]} ${first[1]}`;
  rest.forEach(([x, y], at) => {
    const next = rest[at + 1];
    path += next ? ` Q${x} ${y} ${(x + next[0]) / 2} ${(y + next[1]) / 2}` : ` L${x} ${y}`;
  });
  return path;
}
