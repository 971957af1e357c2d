package io.uniserve.runtime.proto;

import io.uniserve.limit.Limits;
import io.uniserve.protocol.message.HealthProblem;
import io.uniserve.protocol.message.HealthProblem.Severity;
import io.uniserve.protocol.message.PeerReply.Load;
import io.uniserve.protocol.message.PeerReply.PopularSet;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import io.uniserve.protocol.message.PeerReply.Serving;
import java.util.List;

/** Mapping of reports of a server's load. */
public final class LoadMapping {
    private LoadMapping() {}

    public static PeerProto.Load toProto(Load load) {
        PeerProto.Load.Builder proto = PeerProto.Load.newBuilder()
                .setServer(load.server().value())
                .setCpuMillisPerSecond(load.cpuMillisPerSecond())
                .setMemoryBytes(load.memoryBytes());
        if (load.servingCpuMillisPerSecond() >= 0) {
            proto.setServingCpuMillisPerSecond(load.servingCpuMillisPerSecond());
        }
        load.sets().forEach(set -> proto.addSets(toProto(set)));
        load.replicas().forEach(replica -> proto.addReplicas(toProto(replica)));
        proto.setRegistryAgeMillis(load.registryAgeMillis());
        proto.addAllProblems(toProto(load.problems()));
        return proto.build();
    }

    public static Load fromProto(PeerProto.Load proto) {
        return new Load(
                IdentityMapping.server(proto.getServer()),
                ProtoValidator.list(
                        "replicas", proto.getReplicasList(), Limits.REPLICAS_PER_SERVER_MAX, LoadMapping::fromProto),
                proto.getCpuMillisPerSecond(),
                proto.getMemoryBytes(),
                ProtoValidator.list("sets", proto.getSetsList(), Limits.SHARD_SETS_TOLD_MAX, LoadMapping::fromProto),
                proto.hasRegistryAgeMillis() ? proto.getRegistryAgeMillis() : -1,
                problems(proto.getProblemsList()),
                proto.hasServingCpuMillisPerSecond() ? proto.getServingCpuMillisPerSecond() : -1);
    }

    static List<PeerProto.Problem> toProto(List<HealthProblem> problems) {
        return problems.stream()
                .map(problem -> PeerProto.Problem.newBuilder()
                        .setSeverityValue(ProtoValidator.number(problem.severity()))
                        .setObject(problem.object())
                        .setText(problem.text())
                        .build())
                .toList();
    }

    static List<HealthProblem> problems(List<PeerProto.Problem> problems) {
        return ProtoValidator.list("problems", problems, Limits.PROBLEMS_TOLD_MAX, proto -> {
            int number = proto.getSeverityValue();
            Severity[] severities = Severity.values();
            // A severity of a later version is UNKNOWN, which does not count as harmless.
            Severity severity = number < 1 || number > severities.length ? Severity.UNKNOWN : severities[number - 1];
            return new HealthProblem(severity, proto.getObject(), proto.getText());
        });
    }

    private static Serving serving(int number) {
        Serving[] all = Serving.values();
        return number < 0 || number >= all.length ? Serving.NOT_REPORTED : all[number];
    }

    private static PeerProto.PopularSet toProto(PopularSet set) {
        return PeerProto.PopularSet.newBuilder()
                .setTableId(set.tableId())
                .addAllActors(set.actors())
                .setPerSecond(set.perSecond())
                .setError(set.error())
                .build();
    }

    private static PopularSet fromProto(PeerProto.PopularSet proto) {
        return new PopularSet(
                proto.getTableId(),
                ProtoValidator.list(
                        "actors", proto.getActorsList(), Limits.SHARD_SET_ACTORS_MAX, ProtoValidator::actor),
                proto.getPerSecond(),
                proto.getError());
    }

    private static PeerProto.ReplicaLoad toProto(ReplicaLoad load) {
        return PeerProto.ReplicaLoad.newBuilder()
                .setKey(IdentityMapping.toProto(load.key()))
                .setEpoch(load.epoch())
                .setRole(load.role())
                .setLastIndex(load.lastIndex())
                .setStableIndex(load.highWatermark())
                .setAppliedIndex(load.appliedIndex())
                .setRows(load.rows() == ReplicaLoad.UNKNOWN ? 0 : load.rows())
                .setRowsUnknown(load.rows() == ReplicaLoad.UNKNOWN)
                .setMemoryBytes(load.memoryBytes())
                .setDiskBytes(load.diskBytes())
                .setQueryCostMillisPerSecond(load.queryCostMillisPerSecond())
                .setQueriesPerSecond(load.queriesPerSecond())
                .setBackupIndex(load.backupIndex())
                .setBackupCheckpointIndex(load.backupCheckpointIndex())
                .setAgeSeconds(load.ageSeconds())
                .setServingValue(ProtoValidator.number(load.serving()) - 1)
                .setBackupFailingMillis(load.backupFailingMillis())
                .setRowsScannedPerSecond(load.rowsScannedPerSecond())
                .build();
    }

    private static ReplicaLoad fromProto(PeerProto.ReplicaLoad proto) {
        return new ReplicaLoad(
                IdentityMapping.fromProto(proto.getKey()),
                proto.getEpoch(),
                ProtoValidator.identifier("role", proto.getRole()),
                proto.getLastIndex(),
                proto.getStableIndex(),
                proto.getAppliedIndex(),
                proto.getRowsUnknown() ? ReplicaLoad.UNKNOWN : proto.getRows(),
                proto.getMemoryBytes(),
                proto.getDiskBytes(),
                proto.getQueryCostMillisPerSecond(),
                proto.getQueriesPerSecond(),
                proto.getBackupIndex(),
                proto.getBackupCheckpointIndex(),
                proto.getAgeSeconds(),
                serving(proto.getServingValue()),
                proto.getBackupFailingMillis(),
                proto.getRowsScannedPerSecond());
    }
}
