package io.uniserve.testkit.sql;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Comparison of a port's answers with the reference's, per statement. A statement is correct if both answers are equal, if both fail, or if
 * the port rejects it with an error of a given list. Everything else is a fault.
 */
public final class MatrixComparison {
    private static final int SHOWN_MAX = 600;
    private static final Set<ErrorCode> REFUSALS = Set.of(ErrorCode.UNSUPPORTED, ErrorCode.INVALID_ARGUMENT);

    private final BinaryOperator<String> port;
    private final MatrixOracle reference;
    private final Map<String, Pattern> refusals;
    private final Map<String, Integer> rejectedByReason = new TreeMap<>();
    private final List<String> faults = new ArrayList<>();
    private int answered;
    private int failed;

    /**
     * Comparison of a port and a reference with the same rows.
     *
     * @param port executes a statement; its arguments are table and statement
     * @param refusals permitted error messages by reason, as in the manual
     */
    public MatrixComparison(BinaryOperator<String> port, MatrixOracle reference, Map<String, Pattern> refusals) {
        this.port = port;
        this.reference = reference;
        this.refusals = Map.copyOf(refusals);
    }

    /** Runs all of these statements. */
    public void run(List<MatrixCell> cells) {
        cells.forEach(this::run);
    }

    private void run(MatrixCell cell) {
        List<List<@Nullable Object>> ours;
        try {
            ours = MatrixValue.rows(port.apply(cell.table(), cell.sql()));
        } catch (UniserveException e) {
            onRejected(cell, e);
            return;
        }
        try {
            compare(cell, ours, reference.query(cell.sql()));
        } catch (SQLException e) {
            compareWider(cell, ours, e);
        }
    }

    private void onRejected(MatrixCell cell, UniserveException refusal) {
        if (!REFUSALS.contains(refusal.code())) {
            faults.add(cell.sql() + "\n    fails with " + refusal.code() + ": " + refusal.reason());
            return;
        }
        try {
            List<List<@Nullable Object>> theirs = reference.query(cell.sql());
            String message = refusal.reason();
            refusals.entrySet().stream()
                    .filter(one -> one.getValue().matcher(message).find())
                    .findFirst()
                    .ifPresentOrElse(
                            one -> rejectedByReason.merge(one.getKey(), 1, Integer::sum),
                            () -> faults.add(
                                    cell.sql() + "\n    refused: " + message + "\n    right: " + shown(theirs)));
        } catch (SQLException e) {
            failed++;
        }
    }

    private void compareWider(MatrixCell cell, List<List<@Nullable Object>> ours, SQLException failure) {
        String fault = cell.sql() + "\n    answered: " + shown(ours) + "\n    right: " + failure.getMessage();
        if (cell.wider().isEmpty()) {
            faults.add(fault);
            return;
        }
        try {
            compare(cell, ours, reference.query(cell.wider()));
        } catch (SQLException e) {
            faults.add(fault + "; " + e.getMessage());
        }
    }

    private void compare(MatrixCell cell, List<List<@Nullable Object>> ours, List<List<@Nullable Object>> theirs) {
        if (MatrixValue.same(ours, theirs, cell.isOrdered(), cell.isApproximate())) {
            answered++;
        } else {
            faults.add(cell.sql() + "\n    answered: " + shown(ours) + "\n    right:    " + shown(theirs));
        }
    }

    private static String shown(List<List<@Nullable Object>> rows) {
        String all = rows.size() + " rows " + rows;
        return all.length() <= SHOWN_MAX ? all : all.substring(0, SHOWN_MAX) + "...";
    }

    /** Number of statements with the correct answer. */
    public int answered() {
        return answered;
    }

    /** Number of statements that fail on both. */
    public int failed() {
        return failed;
    }

    /** Number of statements that the port rejects, per reason. */
    public Map<String, Integer> rejectedByReason() {
        return Map.copyOf(rejectedByReason);
    }

    /** The faults: each has the statement with both answers. */
    public List<String> faults() {
        return List.copyOf(faults);
    }
}
