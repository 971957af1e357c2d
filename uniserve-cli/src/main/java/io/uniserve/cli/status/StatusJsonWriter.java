package io.uniserve.cli.status;

import io.uniserve.cli.status.ClusterReport.Actor;
import io.uniserve.cli.status.ClusterReport.Replica;
import io.uniserve.cli.status.ClusterReport.Server;
import io.uniserve.cli.status.ClusterReport.Table;
import io.uniserve.model.Fencing;
import io.uniserve.model.PortInfo;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.message.AdminReply.CopyStatus;
import io.uniserve.protocol.message.AdminReply.MoveStatus;
import io.uniserve.protocol.message.AdminReply.Rebalance;
import io.uniserve.protocol.message.HealthProblem;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON form of a {@link ClusterReport}. Values that a server did not report are null. */
final class StatusJsonWriter {
    private StatusJsonWriter() {}

    static Map<String, @Nullable Object> fields(ClusterReport report) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("cluster", report.cluster());
        fields.put("term", report.term());
        fields.put(
                "coordinator",
                report.coordinator() == null ? null : report.coordinator().toString());
        fields.put(
                "servers",
                report.servers().stream().map(StatusJsonWriter::server).toList());
        fields.put("drained", report.drained().stream().map(ServerId::value).toList());
        fields.put("rebalance", rebalance(report.rebalance()));
        fields.put(
                "tables",
                report.tables().stream().map(table -> table(report, table)).toList());
        List<HealthProblem> problems = ClusterProblemCollector.of(report);
        fields.put("ok", problems.isEmpty());
        fields.put("problems", problems.stream().map(StatusJsonWriter::problem).toList());
        return fields;
    }

    private static Map<String, @Nullable Object> problem(HealthProblem problem) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("severity", problem.severity().name().toLowerCase(Locale.ROOT));
        fields.put("object", problem.object());
        fields.put("text", problem.text());
        return fields;
    }

    private static Map<String, @Nullable Object> rebalance(Rebalance rebalance) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("state", rebalance.state());
        fields.put("waiting", rebalance.pendingMoves());
        fields.put(
                "moves",
                rebalance.moves().stream().map(StatusJsonWriter::moving).toList());
        fields.put(
                "copies",
                rebalance.copies().stream().map(StatusJsonWriter::copies).toList());
        return fields;
    }

    private static Map<String, @Nullable Object> copies(CopyStatus copy) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("table", copy.table().value());
        fields.put("actor", copy.actor());
        fields.put("replicas", copy.replicas());
        fields.put("requested", copy.requested());
        fields.put("automatic", copy.automatic());
        Map<String, Double> shares = new LinkedHashMap<>();
        copy.weights().forEach((server, share) -> shares.put(server.value(), share));
        fields.put("shares", shares);
        fields.put("why", copy.reason());
        return fields;
    }

    private static Map<String, @Nullable Object> moving(MoveStatus moving) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("table", moving.table().value());
        fields.put("actor", moving.actor());
        fields.put("from", moving.from().stream().map(ServerId::value).toList());
        fields.put("to", moving.to().stream().map(ServerId::value).toList());
        fields.put("why", moving.reason());
        return fields;
    }

    private static Map<String, @Nullable Object> server(Server server) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("id", server.record().id().value());
        fields.put("address", server.record().address().toString());
        fields.put("zone", server.record().zone());
        fields.put("incarnation", server.record().incarnation());
        fields.put("ports", server.record().ports().stream().map(PortInfo::name).toList());
        fields.put("release", server.record().release().version());
        fields.put("releaseLevel", server.record().release().level());
        fields.put("primaries", server.primaries());
        fields.put("replicas", server.replicas());
        fields.put(
                "cpuMillisPerSecond",
                server.load().map(load -> load.cpuMillisPerSecond()).orElse(null));
        fields.put("memoryBytes", server.load().map(load -> load.memoryBytes()).orElse(null));
        fields.put("queriesPerSecond", server.load().isEmpty() ? null : server.queriesPerSecond());
        fields.put("diskBytes", server.load().isEmpty() ? null : server.diskBytes());
        fields.put("state", word(server.health()));
        fields.put(
                "registryAgeMillis",
                server.load()
                        .map(load -> load.registryAgeMillis())
                        .filter(age -> age >= 0)
                        .orElse(null));
        fields.put(
                "problems",
                server.problems().stream().map(StatusJsonWriter::problem).toList());
        return fields;
    }

    private static String word(HealthStatus healthStatus) {
        return healthStatus.state().name().toLowerCase(Locale.ROOT);
    }

    private static Map<String, @Nullable Object> table(ClusterReport report, Table table) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("name", table.meta().name().value());
        fields.put("port", table.meta().port());
        fields.put("rf", table.meta().rf());
        fields.put("rows", table.rows().isPresent() ? table.rows().getAsLong() : null);
        TableHealth state = TableHealth.of(table, ClusterProblemCollector.isCurrent(report));
        fields.put("state", state.label());
        fields.put("stateText", state.text());
        fields.put(
                "backupLag", table.backupLag().isPresent() ? table.backupLag().getAsLong() : null);
        fields.put("underReplicated", table.underReplicated());
        fields.put("withoutPrimary", table.withoutPrimary());
        fields.put(
                "actors", table.actors().stream().map(StatusJsonWriter::actor).toList());
        return fields;
    }

    private static Map<String, @Nullable Object> actor(Actor actor) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("actor", actor.state().actor());
        fields.put("epoch", actor.state().epoch());
        fields.put("primary", actor.state().primary().value());
        fields.put("primaryLives", actor.primaryLives());
        fields.put("state", word(actor.health()));
        fields.put("reason", actor.health().reason());
        List<String> fenced = actor.state().fencing().stream()
                .map(Fencing::server)
                .map(ServerId::value)
                .toList();
        fields.put("fenced", fenced);
        fields.put(
                "replicas",
                actor.replicas().stream().map(StatusJsonWriter::replica).toList());
        return fields;
    }

    private static Map<String, @Nullable Object> replica(Replica replica) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("server", replica.server().value());
        fields.put("role", replica.role());
        fields.put("state", word(replica.health()));
        fields.put("reason", replica.health().reason());
        fields.put("lag", replica.lag().orElse(null));
        fields.put("epoch", replica.load().map(load -> load.epoch()).orElse(null));
        fields.put("lastIndex", replica.load().map(load -> load.lastIndex()).orElse(null));
        fields.put(
                "stableIndex", replica.load().map(load -> load.highWatermark()).orElse(null));
        fields.put(
                "appliedIndex", replica.load().map(load -> load.appliedIndex()).orElse(null));
        fields.put("backupLag", replica.backupLag().orElse(null));
        fields.put(
                "backupCheckpointIndex",
                replica.load()
                        .map(load -> load.backupCheckpointIndex())
                        .filter(index -> index >= 0)
                        .orElse(null));
        fields.put(
                "rows",
                replica.load()
                        .map(load -> load.rows())
                        .filter(rows -> rows != ReplicaLoad.UNKNOWN)
                        .orElse(null));
        fields.put(
                "backupFailingMillis",
                replica.load().map(load -> load.backupFailingMillis()).orElse(null));
        fields.put("memoryBytes", replica.load().map(load -> load.memoryBytes()).orElse(null));
        fields.put("diskBytes", replica.load().map(load -> load.diskBytes()).orElse(null));
        fields.put(
                "queriesPerSecond",
                replica.load().map(load -> load.queriesPerSecond()).orElse(null));
        fields.put(
                "queryCostMillisPerSecond",
                replica.load().map(load -> load.queryCostMillisPerSecond()).orElse(null));
        fields.put("ageSeconds", replica.load().map(load -> load.ageSeconds()).orElse(null));
        return fields;
    }
}
