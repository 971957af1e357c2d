package io.uniserve.api;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An immutable map in its own order, as one array of names and values: of rows with few fields, a third of what a hash map
 * takes. Engines that keep documents in memory keep little else. Safe for use by several threads.
 */
final class FewFields extends AbstractMap<String, @Nullable Object> {
    /** Above it, a hash map finds a name faster. */
    static final int MOST = 16;

    /** Each name, then its value. */
    private final @Nullable Object[] cells;

    /** @param cells each name, no two equal, then its value; never changed again */
    FewFields(@Nullable Object[] cells) {
        this.cells = cells;
    }

    static FewFields copyOf(Map<?, ?> fields) {
        @Nullable Object[] cells = new Object[2 * fields.size()];
        int at = 0;
        for (Map.Entry<?, ?> field : fields.entrySet()) {
            cells[at++] = field.getKey();
            cells[at++] = field.getValue();
        }
        return new FewFields(cells);
    }

    /** The place of the name among the first so many cells, -1 where it is not. */
    static int find(@Nullable Object[] cells, int filled, @Nullable Object name) {
        for (int i = 0; i < filled; i += 2) {
            if (name == null ? cells[i] == null : name.equals(cells[i])) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public int size() {
        return cells.length / 2;
    }

    @Override
    public boolean containsKey(@Nullable Object name) {
        return find(cells, cells.length, name) >= 0;
    }

    @Override
    public @Nullable Object get(@Nullable Object name) {
        int at = find(cells, cells.length, name);
        return at < 0 ? null : cells[at + 1];
    }

    @Override
    @SuppressWarnings("unchecked") // as in every map, a name is a text if whoever made it kept to the type
    public void forEach(BiConsumer<? super String, ? super @Nullable Object> action) {
        for (int i = 0; i < cells.length; i += 2) {
            ((BiConsumer<Object, Object>) (BiConsumer<?, ?>) action).accept(cells[i], cells[i + 1]);
        }
    }

    @Override
    public Set<Map.Entry<String, @Nullable Object>> entrySet() {
        return new Entries();
    }

    private final class Entries extends AbstractSet<Map.Entry<String, @Nullable Object>> {
        @Override
        public int size() {
            return FewFields.this.size();
        }

        @Override
        public Iterator<Map.Entry<String, @Nullable Object>> iterator() {
            return new Iterator<>() {
                private int at;

                @Override
                public boolean hasNext() {
                    return at < cells.length;
                }

                @Override
                @SuppressWarnings({"unchecked", "rawtypes"})
                public Map.Entry<String, @Nullable Object> next() {
                    if (!hasNext()) {
                        throw new NoSuchElementException();
                    }
                    Map.Entry<String, @Nullable Object> next = new SimpleImmutableEntry(cells[at], cells[at + 1]);
                    at += 2;
                    return next;
                }
            };
        }
    }
}
