package io.uniserve.testkit.solr;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Comparison of two parsed answers. Everything must be equal, except members that always differ. Fractions may differ by one part in
 * 10,000.
 */
public final class AnswerComparator {
    /**
     * Members that always differ: the duration of the query, the echoed parameters, warnings about the counting of a field, and the
     * internal version of documents.
     */
    public static final Set<String> ALWAYS_DIFFERENT = Set.of("QTime", "params", "warnings", "_version_");

    private static final Pattern DEVIATIONS = Pattern.compile("stddev|variance");

    /** The part of a cursor mark that encodes the replicas. */
    private static final String CURSOR_REPLICAS = "\\..*";

    private static final double DEVIATION_ROUNDS_TO = 1e-4;

    private static final double ROUNDING = 1e-4;

    /** Paths where the order of names is part of the answer: terms with their counts, and documents with their highlights. */
    private static final Pattern ORDERED =
            Pattern.compile("^/(facet_counts/facet_(fields|queries|ranges|intervals)|highlighting)(/|$)");

    private final boolean deviations;
    private final double fraction;

    private AnswerComparator(boolean deviations, double fraction) {
        this.deviations = deviations;
        this.fraction = fraction;
    }

    /**
     * The first difference of the answers to a query; empty if there is none.
     *
     * <p>Solr computes a deviation from sums and sums of squares. If all values are equal, rounding may give a negative variance, whose
     * root is NaN, in one core as well as in several. It depends on the order of the sums. So for queries with a deviation, and only for
     * these, NaN equals 0.
     */
    public static String firstDifference(String query, @Nullable Object left, @Nullable Object right) {
        return firstDifference(query, left, right, ROUNDING);
    }

    /** As {@link #firstDifference(String, Object, Object)}, with this relative tolerance for fractions. */
    public static String firstDifference(String query, @Nullable Object left, @Nullable Object right, double fraction) {
        return new AnswerComparator(DEVIATIONS.matcher(query).find(), fraction).difference("", left, right);
    }

    private String difference(String path, @Nullable Object left, @Nullable Object right) {
        if (left instanceof Map<?, ?> some && right instanceof Map<?, ?> other) {
            return mapDifference(path, some, other);
        }
        if (left instanceof List<?> some && right instanceof List<?> other && some.size() == other.size()) {
            return IntStream.range(0, some.size())
                    .mapToObj(i -> difference(path + "/" + i, some.get(i), other.get(i)))
                    .filter(found -> !found.isEmpty())
                    .findFirst()
                    .orElse("");
        }
        if (deviations && (isNone(left) && isNothing(right) || isNothing(left) && isNone(right))) {
            return "";
        }
        if (path.equals("/nextCursorMark") && left instanceof String some && right instanceof String other) {
            String one = some.replaceFirst(CURSOR_REPLICAS, "");
            return one.equals(other.replaceFirst(CURSOR_REPLICAS, "")) ? "" : path + ": " + left + " or " + right;
        }
        boolean fractions = left instanceof Double || right instanceof Double;
        if (fractions && left instanceof Number some && right instanceof Number other) {
            double tolerance = fraction * Math.max(1e-3, Math.abs(some.doubleValue()));
            return Math.abs(some.doubleValue() - other.doubleValue()) <= tolerance
                    ? ""
                    : path + ": " + left + " or " + right;
        }
        return Objects.equals(left, right) ? "" : path + ": " + left + " or " + right;
    }

    /**
     * Compares the names, with their order where it is part of the answer, and the values. A name with a null value differs from a missing
     * name.
     */
    private String mapDifference(String path, Map<?, ?> left, Map<?, ?> right) {
        List<String> some = names(left);
        List<String> other = names(right);
        if (!(ORDERED.matcher(path).find()
                ? some.equals(other)
                : Set.copyOf(some).equals(Set.copyOf(other)))) {
            return path + ": names " + some + " or " + other;
        }
        return some.stream()
                .map(name -> difference(path + "/" + name, left.get(name), right.get(name)))
                .filter(found -> !found.isEmpty())
                .findFirst()
                .orElse("");
    }

    private static List<String> names(Map<?, ?> map) {
        return map.keySet().stream()
                .map(Object::toString)
                .filter(name -> !ALWAYS_DIFFERENT.contains(name))
                .toList();
    }

    private static boolean isNone(@Nullable Object value) {
        return "NaN".equals(String.valueOf(value));
    }

    private static boolean isNothing(@Nullable Object value) {
        return value instanceof Number number && Math.abs(number.doubleValue()) < DEVIATION_ROUNDS_TO;
    }
}
