package io.uniserve.cli.place;

import io.uniserve.cli.ServerNames;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.TextTable;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.placement.ReplicaMove;
import io.uniserve.placement.ReplicationPolicy.AddCopies;
import io.uniserve.placement.ReplicationPolicy.Change;
import io.uniserve.placement.ReplicationPolicy.DropCopy;
import io.uniserve.placement.ReplicationPolicy.Finding;
import io.uniserve.placement.ReplicationPolicy.SetWeights;
import io.uniserve.placement.check.PlacementProperties;
import io.uniserve.placement.live.LivePlan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Printer of a plan for a running cluster, as text or JSON. */
final class LivePlanPrinter {
    private static final double MIB = 1 << 20;

    private final Console console;
    private final LiveView view;

    LivePlanPrinter(Console console, LiveView view) {
        this.console = console;
        this.view = view;
    }

    /** A change as it is shown: copies first, then moves, then shares and copies that go. */
    private record Row(
            String kind,
            ReplicaKey key,
            @Nullable String from,
            @Nullable String to,
            long bytes,
            String why) {}

    void print(String policy, LivePlan plan, boolean json) {
        if (json) {
            console.json(fields(policy, plan));
            return;
        }
        console.println("policy " + policy + ": " + plan.status());
        plan.reasons().forEach(reason -> console.println("  " + reason));
        List<Row> rows = rows(plan);
        if (!rows.isEmpty()) {
            TextTable table = new TextTable("CHANGE", "ACTOR", "FROM", "TO", "MIB", "REASON");
            for (Row row : rows) {
                table.row(
                        row.kind(),
                        view.actor(row.key()),
                        row.from() == null ? "-" : row.from(),
                        row.to() == null ? "-" : row.to(),
                        row.bytes() > 0 ? decimal(row.bytes() / MIB, 1) : "-",
                        row.why());
            }
            table.print(console);
        }
        console.println(text(
                "%d moves, %d replicas made, %d dropped, %d changes of shares, %.1f MiB to copy",
                plan.moves().size(),
                rows.stream().filter(row -> row.kind().equals("copy")).count(),
                count(plan, DropCopy.class),
                count(plan, SetWeights.class),
                rows.stream().mapToLong(Row::bytes).sum() / MIB));
        printEffect(plan);
        for (Finding finding : plan.findings()) {
            console.println(view.actor(finding.key()) + ": " + finding.reason());
        }
    }

    private void printEffect(LivePlan plan) {
        PlacementProperties before = plan.before();
        PlacementProperties after = plan.after();
        TextTable table = new TextTable("", "BEFORE", "AFTER");
        table.row("largest load over mean", decimal(before.largestLoad(), 3), decimal(after.largestLoad(), 3));
        table.row("least load over mean", decimal(before.leastLoad(), 3), decimal(after.leastLoad(), 3));
        table.row("contention", decimal(before.contention(), 3), decimal(after.contention(), 3));
        table.row("replicas", before.replicas(), after.replicas());
        table.print(console);
    }

    private List<Row> rows(LivePlan plan) {
        List<Row> rows = new ArrayList<>();
        plan.copies().stream()
                .filter(AddCopies.class::isInstance)
                .map(AddCopies.class::cast)
                .forEach(add -> add.targets().forEach(target -> rows.add(row(add, target))));
        for (ReplicaMove move : plan.moves()) {
            rows.add(new Row(
                    "move",
                    move.key(),
                    ServerNames.shortName(move.from()),
                    ServerNames.shortName(move.to()),
                    view.bytes(move.key()),
                    move.reason()));
        }
        plan.copies().stream()
                .filter(change -> !(change instanceof AddCopies))
                .forEach(change -> rows.add(row(change)));
        return rows;
    }

    private Row row(AddCopies add, ServerId target) {
        return new Row("copy", add.key(), null, ServerNames.shortName(target), view.bytes(add.key()), add.reason());
    }

    private Row row(Change change) {
        if (change instanceof DropCopy drop) {
            return new Row("drop", drop.key(), ServerNames.shortName(drop.source()), null, 0, drop.reason());
        }
        SetWeights weights = (SetWeights) change;
        return new Row("shares", weights.key(), null, shares(weights.weights()), 0, weights.reason());
    }

    private static String shares(Map<ServerId, Double> weights) {
        List<String> parts = new ArrayList<>();
        weights.forEach((server, share) -> parts.add(text("%s:%.0f%%", ServerNames.shortName(server), 100 * share)));
        return parts.isEmpty() ? "equal" : String.join(",", parts);
    }

    private static long count(LivePlan plan, Class<? extends Change> kind) {
        return plan.copies().stream().filter(kind::isInstance).count();
    }

    private Map<String, Object> fields(String policy, LivePlan plan) {
        List<Row> rows = rows(plan);
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("policy", policy);
        fields.put("status", plan.status().name());
        fields.put("reasons", plan.reasons());
        List<Map<String, @Nullable Object>> changes = new ArrayList<>();
        for (Row row : rows) {
            Map<String, @Nullable Object> one = new LinkedHashMap<>();
            one.put("change", row.kind());
            one.put("table", view.table(row.key()).value());
            one.put("actor", row.key().actor());
            one.put("from", row.from());
            one.put("to", row.to());
            one.put("bytes", row.bytes());
            one.put("reason", row.why());
            changes.add(one);
        }
        fields.put("changes", changes);
        fields.put("bytes", rows.stream().mapToLong(Row::bytes).sum());
        fields.put("before", fields(plan.before()));
        fields.put("after", fields(plan.after()));
        Map<String, String> findings = new LinkedHashMap<>();
        plan.findings().forEach(finding -> findings.put(view.actor(finding.key()), finding.reason()));
        fields.put("findings", findings);
        return fields;
    }

    private static Map<String, Object> fields(PlacementProperties check) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("max", check.largestLoad());
        fields.put("min", check.leastLoad());
        fields.put("contention", check.contention());
        fields.put("replicas", check.replicas());
        return fields;
    }

    private static String decimal(double value, int digits) {
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
