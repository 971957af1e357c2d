package io.uniserve.codec;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Cache of frequent names, such as those of fields, so that equal names share one String. It only has short ASCII names, and keeps the last
 * one per hash bucket. Any other name is a new String. Thread-safe.
 */
final class NameInterner {
    private static final int BYTES_MAX = 64;
    private static final int PLACES = 1_024;
    private static final AtomicReferenceArray<String> CACHE = new AtomicReferenceArray<>(PLACES);

    private NameInterner() {}

    static String intern(byte[] array, int offset, int size) {
        if (size > BYTES_MAX) {
            return Bytes.wrap(array, offset, size).utf8();
        }
        int hash = 0;
        int all = 0;
        for (int i = offset; i < offset + size; i++) {
            hash = 31 * hash + array[i];
            all |= array[i];
        }
        if (all < 0) {
            return Bytes.wrap(array, offset, size).utf8();
        }
        int place = (hash ^ hash >>> 16) & PLACES - 1;
        String known = CACHE.getPlain(place);
        if (known != null && hasBytes(known, array, offset, size)) {
            return known;
        }
        String made = Bytes.wrap(array, offset, size).utf8();
        CACHE.setRelease(place, made);
        return made;
    }

    /** True if the name has these bytes, which are ASCII. */
    private static boolean hasBytes(String known, byte[] array, int offset, int size) {
        if (known.length() != size) {
            return false;
        }
        for (int i = 0; i < size; i++) {
            if (known.charAt(i) != array[offset + i]) {
                return false;
            }
        }
        return true;
    }
}
