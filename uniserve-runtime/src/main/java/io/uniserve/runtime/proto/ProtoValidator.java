package io.uniserve.runtime.proto;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

/** Checks of received messages. Every failure is INVALID_ARGUMENT with the name of the field. */
public final class ProtoValidator {
    private ProtoValidator() {}

    public static UniserveException malformed(String message) {
        return new UniserveException(ErrorCode.INVALID_ARGUMENT, "malformed message: " + message);
    }

    /** Maps the list; fails if it has more than {@code max} elements. */
    public static <P, M> List<M> list(String field, List<P> list, int max, Function<P, M> mapping) {
        if (list.size() > max) {
            throw malformed(field + " has " + list.size() + " elements, at most " + max);
        }
        if (list.size() == 1) {
            return Collections.singletonList(mapping.apply(list.get(0))); // the element may be null
        }
        List<M> mapped = new ArrayList<>(list.size());
        for (P element : list) {
            mapped.add(mapping.apply(element));
        }
        return mapped;
    }

    public static String text(String field, String value, int charsMax) {
        if (value.length() > charsMax) {
            throw malformed(field + " has " + value.length() + " characters, at most " + charsMax);
        }
        return value;
    }

    /** Checks a name or id. */
    public static String identifier(String field, String value) {
        return text(field, value, Limits.IDENTIFIER_CHARS_MAX);
    }

    /** Truncates a text to the receiver's limit. */
    public static String clip(String value, int charsMax) {
        return value.length() <= charsMax ? value : value.substring(0, charsMax - 3) + "...";
    }

    public static int actor(int actor) {
        if (actor < 0) {
            throw malformed("actor is " + actor + ", it must not be negative");
        }
        return actor;
    }

    public static long notNegative(String field, long value) {
        if (value < 0) {
            throw malformed(field + " is " + value + ", it must not be negative");
        }
        return value;
    }

    public static long remaining(long nanos) {
        if (nanos <= 0 || nanos > Limits.DEADLINE_MS_MAX * 1_000_000L) {
            throw malformed(
                    "deadline in " + nanos + " ns, use more than 0 and at most " + Limits.DEADLINE_MS_MAX + " ms");
        }
        return nanos;
    }

    /** Returns the constant whose ordinal plus one is the wire's number. */
    public static <E extends Enum<E>> E constant(String field, E[] values, int number) {
        if (number < 1 || number > values.length) {
            throw malformed(field + " is the unknown number " + number);
        }
        return values[number - 1];
    }

    public static int number(Enum<?> constant) {
        return constant.ordinal() + 1;
    }

    public static void present(String field, boolean present) {
        if (!present) {
            throw malformed(field + " is missing");
        }
    }
}
