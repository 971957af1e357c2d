package io.uniserve.port.mongodb.pipeline;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonType;
import org.bson.BsonValue;

/**
 * Hashes of the values by which {@code $lookup} joins. If an engine joins two documents, they have a hash in common; the reverse does not
 * hold, so the engine decides. Stateless.
 *
 * <p>All numbers are compared as doubles, null is missing and the empty array, an array is its elements at any depth, and documents have
 * neither an order of fields nor null in fields. The hash is the same in all processes.
 */
public final class JoinKeys {
    private static final int NUMBER = 1;
    private static final int TEXT = 2;
    private static final int NONE = 3;
    private static final int DOCUMENT = 4;
    private static final int ARRAY = 5;
    private static final int BINARY = 6;
    private static final int OTHER = 7;

    private JoinKeys() {}

    /** Returns the names of a path; empty for a path that may name an index of an array, or that the engine refuses. */
    public static Optional<String[]> path(String path) {
        String[] names = path.split("\\.", -1);
        boolean plain = Arrays.stream(names)
                .noneMatch(name -> name.isEmpty() || name.startsWith("$") || Character.isDigit(name.charAt(0)));
        return plain ? Optional.of(names) : Optional.empty();
    }

    /**
     * Returns the hashes of all values at a path, at least one.
     *
     * @param isEmbedded whether the embedded server joins: it takes a field of documents in an array for missing
     */
    public static Set<Long> of(BsonDocument document, String[] path, boolean isEmbedded) {
        Set<Long> keys = new TreeSet<>();
        add(keys, document, path, 0, isEmbedded);
        return keys;
    }

    /** Whether a value at the path is a pattern, which a filter may take for all texts that it matches. */
    public static boolean hasPattern(BsonDocument document, String[] path) {
        return hasPattern(document, path, 0);
    }

    /** The slot of a hash, 0 to {@code slots} - 1. */
    public static int slot(long key, int slots) {
        return (int) Math.floorMod(mix(key, slots), (long) slots);
    }

    private static void add(Set<Long> keys, BsonValue value, String[] path, int depth, boolean isEmbedded) {
        if (value.isArray()) {
            value.asArray().forEach(element -> add(keys, element, path, depth, isEmbedded));
            // Arrays in arrays on the way have no values for MongoDB, which joins with nothing then; see isEmbedded
            // too.
            boolean mayBeMissing = depth < path.length && (isEmbedded || hasArray(value));
            if (value.asArray().isEmpty() || mayBeMissing) {
                keys.add((long) NONE);
            }
        } else if (depth == path.length) {
            keys.add(hash(value));
        } else {
            add(keys, field(value, path[depth]), path, depth + 1, isEmbedded);
        }
    }

    private static boolean hasArray(BsonValue array) {
        return array.asArray().stream().anyMatch(BsonValue::isArray);
    }

    private static boolean hasPattern(BsonValue value, String[] path, int depth) {
        if (value.isArray()) {
            return value.asArray().stream().anyMatch(element -> hasPattern(element, path, depth));
        }
        return depth == path.length
                ? value.isRegularExpression()
                : hasPattern(field(value, path[depth]), path, depth + 1);
    }

    private static BsonValue field(BsonValue value, String name) {
        return value.isDocument() ? value.asDocument().getOrDefault(name, BsonNull.VALUE) : BsonNull.VALUE;
    }

    private static boolean isNone(BsonValue value) {
        return value.isNull() || value.getBsonType() == BsonType.UNDEFINED;
    }

    private static long hash(BsonValue value) {
        if (isNone(value)) {
            return NONE;
        } else if (value.isDecimal128()) {
            return number(value.asDecimal128().getValue().doubleValue());
        } else if (value.isNumber()) {
            return number(value.asNumber().doubleValue());
        } else if (value.isString()) {
            return text(TEXT, value.asString().getValue());
        } else if (value.isSymbol()) {
            return text(TEXT, value.asSymbol().getSymbol());
        } else if (value.isBinary()) {
            BsonBinary binary = value.asBinary();
            return mix(mix(BINARY, binary.getType()), Arrays.hashCode(binary.getData()));
        } else if (value.isDocument()) {
            long sum = 0;
            for (Map.Entry<String, BsonValue> field : value.asDocument().entrySet()) {
                if (!isNone(field.getValue())) {
                    sum += mix(text(DOCUMENT, field.getKey()), hash(field.getValue()));
                }
            }
            return mix(DOCUMENT, sum);
        } else if (value.isArray()) {
            long all = ARRAY;
            for (BsonValue element : value.asArray()) {
                all = mix(all, hash(element));
            }
            return all;
        }
        return text(OTHER, value.toString());
    }

    /** 0.0 is -0.0, and there is one NaN. */
    private static long number(double number) {
        return mix(NUMBER, Double.doubleToLongBits(number + 0.0));
    }

    private static long text(int kind, String text) {
        long hash = kind;
        for (int i = 0; i < text.length(); i++) {
            hash = hash * 0x100000001B3L + text.charAt(i);
        }
        return mix(kind, hash);
    }

    /** The finalizer of SplitMix64. */
    private static long mix(long left, long right) {
        long mixed = left * 0x9E3779B97F4A7C15L + right;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }
}
