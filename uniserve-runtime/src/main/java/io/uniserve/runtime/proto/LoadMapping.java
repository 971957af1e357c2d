package io.uniserve.runtime.proto;

import io.uniserve.limit.Limits;
import io.uniserve.protocol.message.PeerReply.Load;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;

/** Reports of a server's load. */
final class LoadMapping {
    private LoadMapping() {}

    static PeerProto.Load toProto(Load load) {
        PeerProto.Load.Builder proto = PeerProto.Load.newBuilder()
                .setServer(load.server().value())
                .setCpuMillisPerSecond(load.cpuMillisPerSecond());
        load.replicas().forEach(replica -> proto.addReplicas(toProto(replica)));
        return proto.build();
    }

    static Load fromProto(PeerProto.Load proto) {
        return new Load(
                IdentityMapping.server(proto.getServer()),
                Wire.list("replicas", proto.getReplicasList(), Limits.REPLICAS_PER_SERVER_MAX, LoadMapping::fromProto),
                proto.getCpuMillisPerSecond());
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
                proto.getBackupCheckpointIndex());
    }
}
