package io.uniserve.runtime.proto;

import com.google.protobuf.InvalidProtocolBufferException;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.AccessRules;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.model.registry.ClusterRecord;
import io.uniserve.model.registry.CoordinatorRecord;
import io.uniserve.model.registry.DecisionHistory;
import io.uniserve.model.registry.IdentityRecord;
import io.uniserve.model.registry.RegistryValue;
import io.uniserve.model.registry.ScalingRecord;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.model.registry.TermRecord;
import io.uniserve.model.registry.Tombstone;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.registry.UserCredentials;

/**
 * Codec of the values of ZooKeeper nodes, with a format version. It ignores fields of a later version and rejects a later format.
 * Stateless and thread-safe.
 */
public final class RegistryCodec {
    /** Newest format that this version reads and writes: for a transaction log with newest chunks of versions. */
    public static final int FORMAT = 4;

    /** Format of the record of a cluster whose tables have nodes by number. */
    private static final int CLUSTER_FORMAT = 3;

    /** Format of a transaction log with older decisions in another node. */
    private static final int SECOND_FORMAT = 2;

    /** Format of all other values. */
    private static final int FIRST_FORMAT = 1;

    private static final int KEY_CHARS_MAX = 1_024;

    private RegistryCodec() {}

    /** Encodes a value; equal values give equal bytes. */
    public static byte[] encode(RegistryValue value) {
        RegistryProto.RegistryNode.Builder node =
                RegistryProto.RegistryNode.newBuilder().setFormat(format(value));
        if (value instanceof ClusterRecord cluster) {
            node.setCluster(ModelProto.ClusterRecord.newBuilder()
                    .setClusterId(cluster.clusterId())
                    .setNextTableId(cluster.nextTableId())
                    .addAllDrained(IdentityMapping.texts(cluster.drainedServers())));
        } else if (value instanceof CoordinatorRecord coordinator) {
            node.setCoordinator(ModelProto.CoordinatorRecord.newBuilder()
                    .setId(coordinator.id())
                    .setAddress(IdentityMapping.toProto(coordinator.address()))
                    .setClosed(coordinator.closed()));
        } else if (value instanceof TermRecord term) {
            node.setTerm(ModelProto.TermRecord.newBuilder().setLeader(term.leader()));
        } else if (value instanceof ServerRecord server) {
            node.setServer(ServerMapping.toProto(server));
        } else if (value instanceof TableMeta meta) {
            node.setTableMeta(TableMapping.toProto(meta));
        } else if (value instanceof TableMap map) {
            node.setTableMap(TableMapMapping.toProto(map));
        } else if (value instanceof BackupRecord backup) {
            node.setBackup(toProto(backup));
        } else if (value instanceof TransactionLogState log) {
            node.setTableLog(TransactionLogMapping.toProto(log));
        } else if (value instanceof DecisionHistory outcomes) {
            node.setTableOutcomes(TransactionLogMapping.toProto(outcomes));
        } else if (value instanceof IdentityRecord identity) {
            node.setIdentity(RegistryProto.IdentityRecord.newBuilder()
                    .setCluster(identity.cluster())
                    .setIdentity(identity.identity()));
        } else if (value instanceof ScalingRecord scaling) {
            node.setScaling(ScalingMapping.toProto(scaling));
        } else if (value instanceof AccessRules access) {
            node.setAccess(AccessMapping.toProto(access));
        } else if (value instanceof UserCredentials users) {
            node.setUsers(UserMapping.toProto(users));
        } else if (value instanceof Tombstone tombstone) {
            node.setTombstone(RegistryProto.Tombstone.newBuilder()
                    .setTableId(tombstone.tableId())
                    .setName(tombstone.name().value())
                    .setReasonValue(ProtoValidator.number(tombstone.reason())));
        }
        return node.build().toByteArray();
    }

    /**
     * A version with only the first format would continue a log without the decisions in the other node. A version with only the
     * second would look for logs under wrong paths. One with only the third would drop chunk versions. The number makes them reject
     * the value.
     */
    private static int format(RegistryValue value) {
        if (value instanceof ClusterRecord cluster && cluster.tableIdsInPaths()) {
            return CLUSTER_FORMAT;
        }
        if (value instanceof TransactionLogState log && !log.chunkVersions().isNone()) {
            return FORMAT;
        }
        boolean two =
                value instanceof DecisionHistory || value instanceof TransactionLogState log && log.historyNumber() > 0;
        return two ? SECOND_FORMAT : FIRST_FORMAT;
    }

    /**
     * Decodes a node's bytes.
     *
     * @param path path of the node, for errors
     * @throws UniserveException CORRUPT if the bytes are not a value of this format; UNSUPPORTED for a later format
     */
    public static RegistryValue decode(String path, byte[] bytes) {
        RegistryProto.RegistryNode node;
        try {
            node = RegistryProto.RegistryNode.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            throw new UniserveException(
                    ErrorCode.CORRUPT,
                    "registry node " + path + " holds " + bytes.length + " bytes that are not a value",
                    e);
        }
        if (node.getFormat() > FORMAT) {
            throw new UniserveException(
                    ErrorCode.UNSUPPORTED,
                    "registry node " + path + " has format " + node.getFormat() + ", this version reads up to " + FORMAT
                            + "; upgrade this process");
        }
        try {
            return fromProto(node);
        } catch (UniserveException e) {
            throw new UniserveException(ErrorCode.CORRUPT, "registry node " + path + ": " + e.reason(), e);
        }
    }

    private static RegistryValue fromProto(RegistryProto.RegistryNode node) {
        if (node.getFormat() < 1) {
            throw ProtoValidator.malformed("format is missing");
        }
        return switch (node.getValueCase()) {
            case CLUSTER ->
                new ClusterRecord(
                        ProtoValidator.identifier(
                                "cluster_id", node.getCluster().getClusterId()),
                        ProtoValidator.notNegative(
                                "next_table_id", node.getCluster().getNextTableId()),
                        IdentityMapping.servers("drained", node.getCluster().getDrainedList()),
                        node.getFormat() >= CLUSTER_FORMAT);
            case COORDINATOR ->
                new CoordinatorRecord(
                        ProtoValidator.identifier("id", node.getCoordinator().getId()),
                        IdentityMapping.fromProto(node.getCoordinator().getAddress()),
                        node.getCoordinator().getClosed());
            case TERM ->
                new TermRecord(
                        ProtoValidator.identifier("leader", node.getTerm().getLeader()));
            case SERVER -> ServerMapping.fromProto(node.getServer());
            case TABLE_META -> TableMapping.fromProto(node.getTableMeta());
            case TABLE_MAP -> TableMapMapping.fromProto(node.getTableMap());
            case BACKUP -> fromProto(node.getBackup());
            case TABLE_LOG -> TransactionLogMapping.fromProto(node.getTableLog());
            case TABLE_OUTCOMES -> TransactionLogMapping.fromProto(node.getTableOutcomes());
            case IDENTITY ->
                new IdentityRecord(
                        ProtoValidator.text("cluster", node.getIdentity().getCluster(), KEY_CHARS_MAX),
                        ProtoValidator.text("identity", node.getIdentity().getIdentity(), KEY_CHARS_MAX));
            case TOMBSTONE ->
                new Tombstone(
                        ProtoValidator.notNegative(
                                "table_id", node.getTombstone().getTableId()),
                        IdentityMapping.table(node.getTombstone().getName()),
                        ProtoValidator.constant(
                                "reason",
                                Tombstone.Reason.values(),
                                node.getTombstone().getReasonValue()));
            case SCALING -> ScalingMapping.fromProto(node.getScaling());
            case ACCESS -> AccessMapping.fromProto(node.getAccess());
            case USERS -> UserMapping.fromProto(node.getUsers());
            case VALUE_NOT_SET ->
                throw ProtoValidator.malformed("value is missing or of a kind this version does not know");
        };
    }

    public static ModelProto.BackupRecord toProto(BackupRecord backup) {
        return ModelProto.BackupRecord.newBuilder()
                .setKey(IdentityMapping.toProto(backup.key()))
                .setClean(backup.clean())
                .setEpoch(backup.epoch())
                .setShippedIndex(backup.shippedIndex())
                .setCheckpoint(backup.checkpoint())
                .setCheckpointIndex(backup.checkpointIndex())
                .build();
    }

    public static BackupRecord fromProto(ModelProto.BackupRecord proto) {
        ProtoValidator.present("key", proto.hasKey());
        return new BackupRecord(
                IdentityMapping.fromProto(proto.getKey()),
                proto.getClean(),
                ProtoValidator.notNegative("epoch", proto.getEpoch()),
                ProtoValidator.notNegative("shipped_index", proto.getShippedIndex()),
                ProtoValidator.text("checkpoint", proto.getCheckpoint(), KEY_CHARS_MAX),
                ProtoValidator.notNegative("checkpoint_index", proto.getCheckpointIndex()));
    }
}
