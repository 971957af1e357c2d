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
record TableHealth(String label, Optional<Severity> severity, String text) {
    /** @param current false if the coordinator may have an old map */
    static TableHealth of(Table table, boolean current) {
        List<TableHealth> found = new ArrayList<>();
        unavailable(table).ifPresent(found::add);
        unknown(table, current).ifPresent(found::add);
        backup(table).ifPresent(found::add);
        degraded(table).ifPresent(found::add);
        if (table.underReplicated() > 0) {
            found.add(new TableHealth("restoring", Optional.of(Severity.WARNING), "restoring copies"));
        }
        return found.isEmpty()
                ? new TableHealth("ok", Optional.empty(), "ok")
                : new TableHealth(
                        found.get(0).label(),
                        found.get(0).severity(),
                        String.join("; ", found.stream().map(TableHealth::text).toList()));
    }

    Optional<HealthProblem> problem(Table table) {
        return severity.map(
                level -> new HealthProblem(level, "table " + table.meta().name(), text));
    }

    private static Optional<TableHealth> unavailable(Table table) {
        if (table.withoutPrimary() > 0) {
            return Optional.of(new TableHealth(
                    "unavailable",
                    Optional.of(Severity.ERROR),
                    "unavailable: " + table.withoutPrimary() + " actors without a live primary"));
        }
        return worst(table, HealthStatus.State.FAILED, "unavailable", Severity.ERROR, " do not serve");
    }

    private static Optional<TableHealth> unknown(Table table, boolean current) {
        if (!current) {
            return Optional.of(new TableHealth(
                    "unknown",
                    Optional.of(Severity.UNKNOWN),
                    "unknown: the coordinator has no contact with the registry"));
        }
        return worst(table, HealthStatus.State.UNKNOWN, "unknown", Severity.UNKNOWN, "");
    }

    private static Optional<TableHealth> worst(
            Table table, HealthStatus.State state, String word, Severity severity, String what) {
        List<Actor> actors = table.actors().stream()
                .filter(actor -> actor.health().state() == state)
                .toList();
        return actors.stream()
                .findFirst()
                .map(first -> new TableHealth(
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

    private static Optional<TableHealth> backup(Table table) {
        List<Actor> failing = table.actors().stream()
                .filter(actor -> actor.backupFailingMillis() > 0)
                .toList();
        return failing.stream()
                .max(Comparator.comparingLong(Actor::backupFailingMillis))
                .map(longest -> new TableHealth(
                        "backup-failing",
                        Optional.of(Severity.FAILING),
                        "backup: FAILED for %d s, %d of %d actors"
                                .formatted(
                                        longest.backupFailingMillis() / 1_000,
                                        failing.size(),
                                        table.actors().size())));
    }

    private static Optional<TableHealth> degraded(Table table) {
        return table.actors().stream()
                .filter(actor -> actor.replicaProblem().isPresent())
                .findFirst()
                .map(actor -> new TableHealth(
                        "degraded",
                        Optional.of(Severity.WARNING),
                        "degraded: actor " + actor.state().actor() + ": "
                                + actor.replicaProblem().orElseThrow()));
    }
}
