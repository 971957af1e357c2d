package io.uniserve.runtime.proto;

import io.uniserve.limit.Limits;
import io.uniserve.protocol.message.PeerReply.Load;
import io.uniserve.protocol.message.PeerReply.PopularSet;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;

/** Reports of a server's load. */
final class LoadMapping {
    private LoadMapping() {}

    static PeerProto.Load toProto(Load load) {
        PeerProto.Load.Builder proto = PeerProto.Load.newBuilder()
                .setServer(load.server().value())
                .setCpuMillisPerSecond(load.cpuMillisPerSecond())
                .setMemoryBytes(load.memoryBytes());
        load.sets().forEach(set -> proto.addSets(toProto(set)));
        load.replicas().forEach(replica -> proto.addReplicas(toProto(replica)));
        return proto.build();
    }

    static Load fromProto(PeerProto.Load proto) {
        return new Load(
                IdentityMapping.server(proto.getServer()),
                Wire.list("replicas", proto.getReplicasList(), Limits.REPLICAS_PER_SERVER_MAX, LoadMapping::fromProto),
                proto.getCpuMillisPerSecond(),
                proto.getMemoryBytes(),
                Wire.list("sets", proto.getSetsList(), Limits.SHARD_SETS_TOLD_MAX, LoadMapping::fromProto));
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
                Wire.list("actors", proto.getActorsList(), Limits.SHARD_SET_ACTORS_MAX, Wire::actor),
                proto.getPerSecond(),
                proto.getError());
    }

    private static PeerProto.ReplicaLoad toProto(ReplicaLoad load) {
        return PeerProto.ReplicaLoad.newBuilder()
                .setKey(IdentityMapping.toProto(load.key()))
                .setEpoch(load.epoch())
                .setRole(load.role())
                .setLastIndex(load.lastIndex())
                .setStableIndex(load.stableIndex())
                .setAppliedIndex(load.appliedIndex())
                .setRows(load.rows())
                .setMemoryBytes(load.memoryBytes())
                .setDiskBytes(load.diskBytes())
                .setQueryCostMillisPerSecond(load.queryCostMillisPerSecond())
                .setQueriesPerSecond(load.queriesPerSecond())
                .setBackupIndex(load.backupIndex())
                .setBackupCheckpointIndex(load.backupCheckpointIndex())
                .setAgeSeconds(load.ageSeconds())
                .build();
    }

    private static ReplicaLoad fromProto(PeerProto.ReplicaLoad proto) {
        return new ReplicaLoad(
                IdentityMapping.fromProto(proto.getKey()),
                proto.getEpoch(),
                Wire.identifier("role", proto.getRole()),
                proto.getLastIndex(),
                proto.getStableIndex(),
                proto.getAppliedIndex(),
                proto.getRows(),
                proto.getMemoryBytes(),
                proto.getDiskBytes(),
                proto.getQueryCostMillisPerSecond(),
                proto.getQueriesPerSecond(),
                proto.getBackupIndex(),
                proto.getBackupCheckpointIndex(),
                proto.getAgeSeconds());
    }
}
