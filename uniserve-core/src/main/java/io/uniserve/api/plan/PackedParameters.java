package io.uniserve.api.plan;

import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Parameters of an engine's request as one text, for {@link ShardRounds}: before each name and value stands how long it is,
 * so that reading takes neither escapes nor a search for separators.
 */
public final class PackedParameters {
    private static final char END_OF_LENGTH = ':';

    private PackedParameters() {}

    /** All values of all parameters, in their order. */
    public static String pack(Iterable<Map.Entry<String, String[]>> parameters) {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, String[]> parameter : parameters) {
            for (String value : parameter.getValue()) {
                add(add(text, parameter.getKey()), value);
            }
        }
        return text.toString();
    }

    private static StringBuilder add(StringBuilder text, String part) {
        return text.append(part.length()).append(END_OF_LENGTH).append(part);
    }

    /**
     * The parameters as they were packed.
     *
     * @throws UniserveException INVALID_ARGUMENT where the text was not made by {@link #pack}
     */
    public static Map<String, String[]> unpack(String text) {
        Map<String, List<String>> parameters = new LinkedHashMap<>();
        int at = 0;
        while (at < text.length()) {
            int name = start(text, at);
            int nameEnd = end(text, at, name);
            int value = start(text, nameEnd);
            int valueEnd = end(text, nameEnd, value);
            parameters
                    .computeIfAbsent(text.substring(name, nameEnd), any -> new ArrayList<>(1))
                    .add(text.substring(value, valueEnd));
            at = valueEnd;
        }
        Map<String, String[]> arrays = new LinkedHashMap<>();
        parameters.forEach((name, values) -> arrays.put(name, values.toArray(String[]::new)));
        return arrays;
    }

    private static int start(String text, int length) {
        int colon = text.indexOf(END_OF_LENGTH, length);
        if (colon < 0) {
            throw malformed(length);
        }
        return colon + 1;
    }

    private static int end(String text, int length, int start) {
        try {
            int end = Math.addExact(start, Integer.parseInt(text, length, start - 1, 10));
            if (end < start || end > text.length()) {
                throw malformed(length);
            }
            return end;
        } catch (NumberFormatException | ArithmeticException e) {
            throw malformed(length);
        }
    }

    private static UniserveException malformed(int at) {
        return UniserveException.invalid("the request's parameters have no right length at character " + at);
    }
}
