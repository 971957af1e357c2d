package io.uniserve.cli.access;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.access.LimitKind;
import io.uniserve.model.access.RoleLimit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Values of limits as text: whole numbers; of bytes also sizes such as {@code 64MiB}; of milliseconds also durations such as {@code 30s}. */
final class LimitText {
    private static final Pattern FORM = Pattern.compile("([0-9]{1,18})([A-Za-z]*)");

    private static final Map<String, Long> NUMBERS = Map.of("", 1L);
    private static final Map<String, Long> BYTES =
            Map.of("", 1L, "B", 1L, "KiB", 1L << 10, "MiB", 1L << 20, "GiB", 1L << 30);
    private static final Map<String, Long> MILLIS =
            Map.of("", 1L, "ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L);

    private LimitText() {}

    /** The value, or 0 for {@code none}. Fails with INVALID_ARGUMENT if the text is none of the kind. */
    static long parse(LimitKind kind, String text) {
        if (text.equals("none")) {
            return 0;
        }
        Matcher form = FORM.matcher(text);
        Long factor = form.matches() ? units(kind).get(form.group(2)) : null;
        long number = factor == null ? 0 : Long.parseLong(form.group(1));
        if (factor == null || number < 1 || number > kind.max() / factor) {
            throw new UniserveException(
                    ErrorCode.INVALID_ARGUMENT,
                    "value \"" + text + "\" of limit " + kind.text() + ": use " + example(kind) + ", or none; at most "
                            + kind.max());
        }
        return number * factor;
    }

    /** One object per limit. */
    static List<Map<String, Object>> json(List<RoleLimit> limits) {
        return limits.stream()
                .map(limit -> {
                    Map<String, Object> object = new LinkedHashMap<>();
                    object.put("role", limit.role().text());
                    object.put("limit", limit.kind().text());
                    object.put("value", limit.value());
                    return object;
                })
                .toList();
    }

    private static Map<String, Long> units(LimitKind kind) {
        return switch (kind) {
            case RESULT_BYTES -> BYTES;
            case DEADLINE_MS -> MILLIS;
            case CONCURRENT_QUERIES, ANSWER_ROWS, UPDATE_ROWS_PER_SECOND -> NUMBERS;
        };
    }

    private static String example(LimitKind kind) {
        return switch (kind) {
            case RESULT_BYTES -> "a number of bytes, or a size such as 256MiB";
            case DEADLINE_MS -> "a number of milliseconds, or a duration such as 30s";
            case CONCURRENT_QUERIES, ANSWER_ROWS, UPDATE_ROWS_PER_SECOND -> "a whole number";
        };
    }
}
