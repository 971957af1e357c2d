package io.uniserve.testkit.solr;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Compares two answers, parsed: everything must be equal but {@code maxScore}, and fractions to one part in 10,000. */
public final class AnswerDifference {
    private AnswerDifference() {}

    /** Where the two differ first and how, or an empty text. */
    public static String first(@Nullable Object left, @Nullable Object right) {
        return difference("", left, right);
    }

    private static String difference(String path, @Nullable Object left, @Nullable Object right) {
        if (left instanceof Map<?, ?> some && right instanceof Map<?, ?> other) {
            TreeSet<String> names = new TreeSet<>();
            some.keySet().forEach(name -> names.add(name.toString()));
            other.keySet().forEach(name -> names.add(name.toString()));
            names.remove("maxScore");
            return names.stream()
                    .map(name -> difference(path + "/" + name, some.get(name), other.get(name)))
                    .filter(found -> !found.isEmpty())
                    .findFirst()
                    .orElse("");
        }
        if (left instanceof List<?> some && right instanceof List<?> other && some.size() == other.size()) {
            return IntStream.range(0, some.size())
                    .mapToObj(i -> difference(path + "/" + i, some.get(i), other.get(i)))
                    .filter(found -> !found.isEmpty())
                    .findFirst()
                    .orElse("");
        }
        boolean fractions = left instanceof Double || right instanceof Double;
        if (fractions && left instanceof Number some && right instanceof Number other) {
            double tolerance = 1e-4 * Math.max(1e-3, Math.abs(some.doubleValue()));
            return Math.abs(some.doubleValue() - other.doubleValue()) <= tolerance
                    ? ""
                    : path + ": " + left + " or " + right;
        }
        return Objects.equals(left, right) ? "" : path + ": " + left + " or " + right;
    }
}
