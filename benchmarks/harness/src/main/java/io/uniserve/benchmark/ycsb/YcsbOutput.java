package io.uniserve.benchmark.ycsb;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Output of one run of the YCSB client: lines {@code [SECTION], NAME, VALUE}.
 *
 * @param values numbers by section and name
 */
record YcsbOutput(Map<String, Map<String, Double>> values) {
    private static final Pattern LINE = Pattern.compile("\\[([^\\]]+)\\], ([^,]+), (-?[0-9.]+(?:E[0-9]+)?)");
    private static final String INTENDED = "Intended-";
    private static final String RETURN = "Return=";
    private static final String OVERALL = "OVERALL";
    private static final String OPERATIONS = "Operations";
    /** Read-modify-write consists of a read and an update, which have sections of their own. */
    private static final List<String> NO_OPERATIONS =
            List.of(OVERALL, "CLEANUP", "VERIFY", "READ-MODIFY-WRITE", "UNISERVE-CPU");

    private static final List<String> GOOD = List.of("OK", "BATCHED_OK");

    /** Latencies of one kind of operation in microseconds, from the intended start of each. */
    record Latencies(String operation, long count, double p50, double p95, double p99) {}

    /** Fails with INTERNAL if the output has no total. */
    static YcsbOutput parse(List<String> lines) {
        Map<String, Map<String, Double>> values = new TreeMap<>();
        for (String line : lines) {
            Matcher found = LINE.matcher(line.strip());
            if (found.matches()) {
                values.computeIfAbsent(found.group(1), any -> new TreeMap<>())
                        .put(found.group(2).strip(), Double.parseDouble(found.group(3)));
            }
        }
        YcsbOutput output = new YcsbOutput(values);
        if (output.value(OVERALL, "RunTime(ms)") <= 0) {
            throw new UniserveException(
                    ErrorCode.INTERNAL,
                    "the YCSB client printed no run time:\n"
                            + String.join("\n", lines.subList(Math.max(0, lines.size() - 15), lines.size())));
        }
        return output;
    }

    private double value(String section, String name) {
        return values.getOrDefault(section, Map.of()).getOrDefault(name, 0.0);
    }

    /** CPU time of the client's process while its threads ran. */
    double clientCpuMs() {
        return value("UNISERVE-CPU", "Milliseconds");
    }

    /** Number of calls of the binding. */
    long operations() {
        return operationNames().stream()
                .mapToLong(section -> (long) value(section, OPERATIONS))
                .sum();
    }

    /**
     * Number of operations of the workload: a read-modify-write is one of them, but a read and an update. YCSB also counts those of the
     * warm-up, so their number is at most that of the updates.
     */
    long transactions() {
        double readModifyWrites = Math.min(value("READ-MODIFY-WRITE", OPERATIONS), value("UPDATE", OPERATIONS));
        return operations() - (long) readModifyWrites;
    }

    private List<String> operationNames() {
        return values.keySet().stream()
                .filter(section -> !NO_OPERATIONS.contains(section))
                .filter(section -> !section.startsWith(INTENDED) && !section.endsWith("-FAILED"))
                .filter(section -> values.getOrDefault(section, Map.of()).containsKey(OPERATIONS))
                .toList();
    }

    /** Number of rows of which YCSB compared all values with those that it had written. */
    long verified() {
        return (long) value("VERIFY", RETURN + "OK");
    }

    /** Failed operations and wrong values, by section and status. */
    List<String> failures() {
        List<String> failures = new ArrayList<>();
        values.forEach((section, numbers) -> numbers.forEach((name, number) -> {
            if (name.startsWith(RETURN) && !GOOD.contains(name.substring(RETURN.length())) && number > 0) {
                failures.add(section + " " + name.substring(RETURN.length()) + ": " + number.longValue());
            }
        }));
        return failures;
    }

    /** Returns the latencies per kind of operation; from the intended start if there is a target, otherwise from the start. */
    List<Latencies> latencies(boolean intended) {
        List<Latencies> all = new ArrayList<>();
        for (String operation : operationNames()) {
            String section = intended && values.containsKey(INTENDED + operation) ? INTENDED + operation : operation;
            all.add(new Latencies(
                    operation,
                    (long) value(operation, OPERATIONS),
                    value(section, "50thPercentileLatency(us)"),
                    value(section, "95thPercentileLatency(us)"),
                    value(section, "99thPercentileLatency(us)")));
        }
        return all;
    }
}
