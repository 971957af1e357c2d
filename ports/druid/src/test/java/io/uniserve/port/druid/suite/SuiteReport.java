package io.uniserve.port.druid.suite;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The scoreboard as Markdown: a table with one line per suite, and the reasons of refusals and differences. */
final class SuiteReport {
    private static final int WRONG_MAX = 60;
    private static final int REASONS_MAX = 25;

    private SuiteReport() {}

    static String of(Collection<SuiteOutcome> outcomes) {
        StringBuilder out = new StringBuilder();
        out.append("| suite | tests | passed | refused by name | internal | wrong | skipped by Druid |\n"
                + "|---|---|---|---|---|---|---|\n");
        for (String suite : SuiteRun.SUITES.keySet()) {
            line(
                    out,
                    suite,
                    outcomes.stream().filter(one -> one.suite().equals(suite)).toList());
        }
        line(out, "all", List.copyOf(outcomes));
        reasons(out, "Refused by name", of(outcomes, SuiteOutcome.Kind.REFUSED));
        reasons(out, "Internal", of(outcomes, SuiteOutcome.Kind.INTERNAL));
        List<SuiteOutcome> wrong = of(outcomes, SuiteOutcome.Kind.WRONG);
        reasons(out, "Wrong", wrong);
        return out.toString();
    }

    private static void line(StringBuilder out, String suite, List<SuiteOutcome> outcomes) {
        Map<SuiteOutcome.Kind, Long> counts =
                outcomes.stream().collect(Collectors.groupingBy(SuiteOutcome::kind, Collectors.counting()));
        long skipped = counts.getOrDefault(SuiteOutcome.Kind.SKIPPED, 0L);
        long tests = outcomes.size() - skipped;
        long refused = counts.getOrDefault(SuiteOutcome.Kind.REFUSED, 0L);
        out.append("| %s | %,d | %,d | %,d (%.1f %%) | %,d | %,d | %,d |%n"
                .formatted(
                        suite,
                        tests,
                        counts.getOrDefault(SuiteOutcome.Kind.PASSED, 0L),
                        refused,
                        tests == 0 ? 0.0 : 100.0 * refused / tests,
                        counts.getOrDefault(SuiteOutcome.Kind.INTERNAL, 0L),
                        counts.getOrDefault(SuiteOutcome.Kind.WRONG, 0L),
                        skipped));
    }

    private static List<SuiteOutcome> of(Collection<SuiteOutcome> outcomes, SuiteOutcome.Kind kind) {
        return outcomes.stream().filter(one -> one.kind() == kind).toList();
    }

    private static void reasons(StringBuilder out, String title, List<SuiteOutcome> outcomes) {
        out.append("\n## ").append(title).append("\n\n");
        if (outcomes.isEmpty()) {
            out.append("None.\n");
            return;
        }
        Map<String, List<SuiteOutcome>> byReason = outcomes.stream()
                .collect(Collectors.groupingBy(SuiteOutcome::reason, TreeMap::new, Collectors.toList()));
        out.append("| tests | reason | such as |\n|---|---|---|\n");
        byReason.entrySet().stream()
                .sorted((one, other) -> other.getValue().size() - one.getValue().size())
                .limit(title.equals("Wrong") ? WRONG_MAX : REASONS_MAX)
                .forEach(entry -> out.append("| %d | `%s` | %s.%s |%n"
                        .formatted(
                                entry.getValue().size(),
                                entry.getKey().replace("`", "'"),
                                entry.getValue().get(0).suite(),
                                entry.getValue().get(0).test().replace("|", "/"))));
    }
}
