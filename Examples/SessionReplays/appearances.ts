// Writes when which image is on the screen, in an app of React Native, for `scripts/convert-replay`.
//
//   const appearances = createAppearances((event) => log(JSON.stringify(event)), { keyOf: (item) => item.url });
//   <FlatList data={items} {...appearances.listProps} … />
//   appearances.clear() when the screen is left (useFocusEffect, navigation "blur", unmount)
//
// `write` stores each event as a line of JSON, such as in a file of the app; the lines are a recording. They can also
// be a piece of the session replay. Keys are what `keyOf` returns: addresses, or hashes of them.
import type { ViewToken } from "react-native";

type Pixels = "width" | "height" | "viewWidth" | "viewHeight"; // of the image, and of its view
type Facts = { variant?: "full" | "thumbnail"; bytes?: number; type?: string } & Partial<Record<Pixels, number>>;
type Event = { type: 5; timestamp: number; data: { tag: "cachereplay"; payload: Record<string, unknown> } };
type Options<Item> = { keyOf: (item: Item) => string | undefined; factsOf?: (item: Item) => Facts };

export function createAppearances<Item>(write: (event: Event) => void, { keyOf, factsOf }: Options<Item>) {
  const shown = new Map<string, { key: string; variant?: Facts["variant"] }>(); // by the key of the cell

  function event(e: "appear" | "disappear", key: string, facts: Facts) {
    const now = Date.now();
    write({ type: 5, timestamp: now, data: { tag: "cachereplay", payload: { v: 1, e, key, t: now, ...facts } } });
  }
  function hide(cell: string) {
    const image = shown.get(cell);
    if (!image) return;
    shown.delete(cell);
    event("disappear", image.key, image.variant ? { variant: image.variant } : {});
  }
  function onViewableItemsChanged({ viewableItems }: { viewableItems: ViewToken[] }) {
    const visible = new Map<string, Item>();
    for (const token of viewableItems) if (token.isViewable) visible.set(token.key, token.item as Item);
    for (const [cell, image] of [...shown]) {
      const item = visible.get(cell);
      if (!item || keyOf(item) !== image.key) hide(cell);
    }
    for (const [cell, item] of visible) {
      const key = keyOf(item);
      if (!key || shown.has(cell)) continue;
      const facts = factsOf?.(item) ?? {};
      shown.set(cell, { key, variant: facts.variant });
      event("appear", key, facts);
    }
  }
  return {
    // A list does not allow these to change between two renderings, so they are made once. A cell counts at its first
    // pixel, and at once: the defaults of a list wait 250 ms.
    listProps: {
      onViewableItemsChanged,
      viewabilityConfig: { minimumViewTime: 0, viewAreaCoveragePercentThreshold: 0, waitForInteraction: false },
    },
    clear: () => [...shown.keys()].forEach(hide),
  };
}
