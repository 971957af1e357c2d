package io.uniserve.api;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Unmodifiable map of a document's fields in insertion order: one array of names and values. It needs a third of the memory of a hash map,
 * which would dominate in engines with documents in memory. Safe for use by several threads.
 */
final class CompactFieldMap extends AbstractMap<String, @Nullable Object> {
    /** Number of fields above which a hash map finds a name faster. */
    static final int FIELDS_MAX = 16;

    /** Names and values in turn. */
    private final @Nullable Object[] cells;

    private CompactFieldMap(@Nullable Object[] cells) {
        this.cells = cells;
    }

    /**
     * Builder for the fields of a document; builds a hash map if there are many fields. If a name repeats, the last value counts, at the
     * position of the first. Not thread-safe.
     */
    static final class Builder {
        private @Nullable Object[] cells;
        private int used;
        private @Nullable Map<@Nullable Object, @Nullable Object> hashMap;

        /** @param fields expected number of fields */
        Builder(int fields) {
            cells = new Object[2 * Math.min(fields, FIELDS_MAX)];
            hashMap = fields > FIELDS_MAX ? new LinkedHashMap<>() : null;
        }

        void put(@Nullable Object name, @Nullable Object value) {
            if (hashMap != null) {
                hashMap.put(name, value);
                return;
            }
            int known = indexOfName(cells, used, name);
            int at = known < 0 ? used : known;
            if (at == 2 * FIELDS_MAX) {
                hashMap = new LinkedHashMap<>();
                new CompactFieldMap(cells).forEach(hashMap::put);
                hashMap.put(name, value);
                return;
            }
            if (at == cells.length) {
                cells = Arrays.copyOf(cells, 2 * FIELDS_MAX);
            }
            cells[at] = name;
            cells[at + 1] = value;
            used += known < 0 ? 2 : 0;
        }

        @SuppressWarnings({"unchecked", "rawtypes"}) // the codec rejects names that are not Strings
        Map<String, @Nullable Object> build() {
            return hashMap != null
                    ? Collections.unmodifiableMap((Map) hashMap)
                    : new CompactFieldMap(used == cells.length ? cells : Arrays.copyOf(cells, used));
        }
    }

    /** Index of the name among the first {@code filled} cells; -1 if absent. */
    private static int indexOfName(@Nullable Object[] cells, int filled, @Nullable Object name) {
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
        return indexOfName(cells, cells.length, name) >= 0;
    }

    @Override
    public @Nullable Object get(@Nullable Object name) {
        int at = indexOfName(cells, cells.length, name);
        return at < 0 ? null : cells[at + 1];
    }

    @Override
    public @Nullable Object remove(@Nullable Object name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void clear() {
        throw new UnsupportedOperationException();
    }

    @Override
    @SuppressWarnings("unchecked") // unchecked as in every map: the codec rejects names that are not Strings
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
            return CompactFieldMap.this.size();
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
