package io.uniserve.cli.status;

import io.uniserve.cli.status.ClusterReport.Actor;
import io.uniserve.cli.status.ClusterReport.Table;
import io.uniserve.protocol.message.HealthProblem;
import io.uniserve.protocol.message.HealthProblem.Severity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * State of one table, by the health of its actors.
 *
 * @param label for programs: ok, unavailable, unknown, backup-failing, degraded or restoring
 * @param severity empty for ok
 * @param text for people
 */
record TableState(String label, Optional<Severity> severity, String text) {
    /** @param current false if the coordinator may have an old map */
    static TableState of(Table table, boolean current) {
        List<TableState> found = new ArrayList<>();
        unavailable(table).ifPresent(found::add);
        unknown(table, current).ifPresent(found::add);
        backup(table).ifPresent(found::add);
        degraded(table).ifPresent(found::add);
        if (table.underReplicated() > 0) {
            found.add(new TableState("restoring", Optional.of(Severity.WARNING), "restoring copies"));
        }
        return found.isEmpty()
                ? new TableState("ok", Optional.empty(), "ok")
                : new TableState(
                        found.get(0).label(),
                        found.get(0).severity(),
                        String.join("; ", found.stream().map(TableState::text).toList()));
    }

    Optional<HealthProblem> problem(Table table) {
        return severity.map(
                level -> new HealthProblem(level, "table " + table.meta().name(), text));
    }

    private static Optional<TableState> unavailable(Table table) {
        if (table.withoutPrimary() > 0) {
            return Optional.of(new TableState(
                    "unavailable",
                    Optional.of(Severity.ERROR),
                    "unavailable: " + table.withoutPrimary() + " actors without a live primary"));
        }
        return worst(table, HealthStatus.State.FAILED, "unavailable", Severity.ERROR, " do not serve");
    }

    private static Optional<TableState> unknown(Table table, boolean current) {
        if (!current) {
            return Optional.of(new TableState(
                    "unknown",
                    Optional.of(Severity.UNKNOWN),
                    "unknown: the coordinator has no contact with the registry"));
        }
        return worst(table, HealthStatus.State.UNKNOWN, "unknown", Severity.UNKNOWN, "");
    }

    private static Optional<TableState> worst(
            Table table, HealthStatus.State state, String word, Severity severity, String what) {
        List<Actor> actors = table.actors().stream()
                .filter(actor -> actor.health().state() == state)
                .toList();
        return actors.stream()
                .findFirst()
                .map(first -> new TableState(
                        word,
                        Optional.of(severity),
                        "%s: %d of %d actors%s, e.g. %d: %s"
                                .formatted(
                                        word,
                                        actors.size(),
                                        table.actors().size(),
                                        what,
                                        first.state().actor(),
                                        first.health().reason())));
    }

    private static Optional<TableState> backup(Table table) {
        List<Actor> failing = table.actors().stream()
                .filter(actor -> actor.backupFailingMillis() > 0)
                .toList();
        return failing.stream()
                .max(Comparator.comparingLong(Actor::backupFailingMillis))
                .map(longest -> new TableState(
                        "backup-failing",
                        Optional.of(Severity.FAILING),
                        "backup: FAILED for %d s, %d of %d actors"
                                .formatted(
                                        longest.backupFailingMillis() / 1_000,
                                        failing.size(),
                                        table.actors().size())));
    }

    private static Optional<TableState> degraded(Table table) {
        return table.actors().stream()
                .filter(actor -> actor.replicaProblem().isPresent())
                .findFirst()
                .map(actor -> new TableState(
                        "degraded",
                        Optional.of(Severity.WARNING),
                        "degraded: actor " + actor.state().actor() + ": "
                                + actor.replicaProblem().orElseThrow()));
    }
}
