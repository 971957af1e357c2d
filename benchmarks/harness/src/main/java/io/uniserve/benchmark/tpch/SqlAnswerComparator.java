package io.uniserve.benchmark.tpch;

import java.math.BigDecimal;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Comparison of two engines' answers, row by row in order. Numbers may differ where engines round an average or truncate a quotient to six
 * digits, as MonetDB does, or in the last digits of a double. Sums of money must be equal to the cent.
 */
public final class SqlAnswerComparator {
    private static final Pattern NUMBER = Pattern.compile("-?\\d+(\\.\\d+)?([eE][-+]?\\d+)?");
    private static final BigDecimal ROUNDED = new BigDecimal("0.00000101");
    private static final BigDecimal DOUBLE = new BigDecimal("1e-14");

    private SqlAnswerComparator() {}

    /** Returns the first difference; empty if there is none. */
    public static Optional<String> difference(
            List<? extends List<@Nullable String>> ours, List<? extends List<@Nullable String>> theirs) {
        if (ours.size() != theirs.size()) {
            return Optional.of(ours.size() + " rows, expected " + theirs.size());
        }
        for (int row = 0; row < ours.size(); row++) {
            if (ours.get(row).size() != theirs.get(row).size()) {
                return Optional.of("row " + (row + 1) + " has " + ours.get(row).size() + " values, not "
                        + theirs.get(row).size());
            }
            for (int column = 0; column < ours.get(row).size(); column++) {
                String mine = ours.get(row).get(column);
                String other = theirs.get(row).get(column);
                if (!same(mine, other)) {
                    return Optional.of(
                            "row " + (row + 1) + ", column " + (column + 1) + ": " + mine + ", not " + other);
                }
            }
        }
        return Optional.empty();
    }

    private static boolean same(@Nullable String mine, @Nullable String other) {
        if (mine == null || other == null || mine.equals(other)) {
            return Objects.equals(mine, other);
        }
        if (!NUMBER.matcher(mine).matches() || !NUMBER.matcher(other).matches()) {
            return false;
        }
        BigDecimal one = new BigDecimal(mine);
        BigDecimal apart = one.subtract(new BigDecimal(other)).abs();
        return apart.compareTo(ROUNDED.add(one.abs().multiply(DOUBLE))) <= 0;
    }
}
