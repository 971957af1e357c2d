package io.uniserve.runtime.proto;

import io.uniserve.limit.Limits;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;

/** Mapping of requests to the coordinator and their replies. */
public final class AdminMapping {
    private AdminMapping() {}

    /** Encodes a request in its envelope. */
    public static AdminProto.AdminCall toProto(String cluster, AdminRequest request) {
        AdminProto.AdminCall.Builder proto = AdminProto.AdminCall.newBuilder().setCluster(cluster);
        if (request instanceof AdminRequest.CreateTable create) {
            proto.setCreateTable(AdminProto.CreateTable.newBuilder().setMeta(TableMapping.toProto(create.meta())));
        } else if (request instanceof AdminRequest.CreateChunks chunks) {
            proto.setCreateChunks(AdminProto.CreateChunks.newBuilder()
                    .setTable(chunks.name().value())
                    .setTableId(chunks.tableId())
                    .addAllOrdinals(chunks.ordinals()));
        } else if (request instanceof AdminRequest.ExplainChunk explain) {
            proto.setExplainChunk(AdminProto.ExplainChunk.newBuilder()
                    .setTable(explain.name().value())
                    .setMillis(explain.millis()));
        } else if (request instanceof AdminRequest.DescribeTable describe) {
            proto.setDescribeTable(AdminProto.DescribeTable.newBuilder()
                    .setName(describe.name().value()));
        } else if (request instanceof AdminRequest.DropTable drop) {
            proto.setDropTable(
                    AdminProto.DropTable.newBuilder().setName(drop.name().value()));
        } else if (request instanceof AdminRequest.UpdateTable update) {
            proto.setUpdateTable(AdminProto.UpdateTable.newBuilder()
                    .setKnown(TableMapping.toProto(update.known()))
                    .putAllOptions(update.options()));
        } else if (request instanceof AdminRequest.MoveReplica move) {
            proto.setMoveReplica(AdminProto.MoveReplica.newBuilder()
                    .setTable(move.name().value())
                    .setActor(move.actor())
                    .setFrom(move.from().value())
                    .setTo(move.to().value()));
        } else if (request instanceof AdminRequest.ReplicateActor replicate) {
            proto.setReplicateActor(AdminProto.ReplicateActor.newBuilder()
                    .setTable(replicate.name().value())
                    .setActor(replicate.actor())
                    .setCopies(replicate.replicas()));
        } else if (request instanceof AdminRequest.DrainServer drain) {
            proto.setDrainServer(AdminProto.DrainServer.newBuilder()
                    .setServer(drain.server().value())
                    .setDrained(drain.drained()));
        } else if (request instanceof AdminRequest.ServerTrash trash) {
            proto.setServerTrash(AdminProto.ServerTrash.newBuilder()
                    .setServer(trash.server().value())
                    .setCall(TrashMapping.toProto(trash.call())));
        } else if (request instanceof AdminRequest.VerifyActor verify) {
            proto.setVerifyActor(AdminProto.VerifyActor.newBuilder()
                    .setTable(verify.name().value())
                    .setActor(verify.actor()));
        } else if (request instanceof AdminRequest.HoldScaling hold) {
            proto.setHoldScaling(AdminProto.HoldScaling.newBuilder().setReason(hold.reason()));
        } else if (request instanceof AdminRequest.ScalingStatus) {
            proto.setScalingStatus(AdminProto.ScalingStatusRequest.getDefaultInstance());
        } else if (request instanceof AdminRequest.ChangeGrant change) {
            proto.setChangeGrant(AccessMapping.toProto(change));
        } else if (request instanceof AdminRequest.ChangeRevocation change) {
            proto.setChangeRevocation(AccessMapping.toProto(change));
        } else if (request instanceof AdminRequest.ChangeLimit change) {
            proto.setChangeLimit(AccessMapping.toProto(change));
        } else if (request instanceof AdminRequest.ListGrants list) {
            proto.setListGrants(AccessMapping.toProto(list));
        } else if (UserMapping.put(proto, request) || BackupMapping.put(proto, request)) {
            return proto.build();
        } else if (request instanceof AdminRequest.ListTables) {
            proto.setListTables(AdminProto.ListTables.getDefaultInstance());
        } else if (request instanceof AdminRequest.Status) {
            proto.setStatus(AdminProto.StatusRequest.getDefaultInstance());
        }
        return proto.build();
    }

    /** Decodes the envelope's request. Fails with INVALID_ARGUMENT if it is malformed. */
    public static AdminRequest fromProto(AdminProto.AdminCall proto) {
        return switch (proto.getRequestCase()) {
            case CREATE_TABLE ->
                new AdminRequest.CreateTable(
                        TableMapping.fromProto(proto.getCreateTable().getMeta()));
            case CREATE_CHUNKS ->
                new AdminRequest.CreateChunks(
                        IdentityMapping.table(proto.getCreateChunks().getTable()),
                        ProtoValidator.notNegative(
                                "table_id", proto.getCreateChunks().getTableId()),
                        ProtoValidator.list(
                                "ordinals",
                                proto.getCreateChunks().getOrdinalsList(),
                                Limits.CHUNKS_PER_REQUEST_MAX,
                                ordinal -> ordinal));
            case EXPLAIN_CHUNK ->
                new AdminRequest.ExplainChunk(
                        IdentityMapping.table(proto.getExplainChunk().getTable()),
                        proto.getExplainChunk().getMillis());
            case DESCRIBE_TABLE ->
                new AdminRequest.DescribeTable(
                        IdentityMapping.table(proto.getDescribeTable().getName()));
            case DROP_TABLE ->
                new AdminRequest.DropTable(
                        IdentityMapping.table(proto.getDropTable().getName()));
            case UPDATE_TABLE ->
                new AdminRequest.UpdateTable(
                        TableMapping.fromProto(proto.getUpdateTable().getKnown()),
                        TableMapping.options(proto.getUpdateTable().getOptionsMap()));
            case MOVE_REPLICA ->
                new AdminRequest.MoveReplica(
                        IdentityMapping.table(proto.getMoveReplica().getTable()),
                        proto.getMoveReplica().getActor(),
                        IdentityMapping.server(proto.getMoveReplica().getFrom()),
                        IdentityMapping.server(proto.getMoveReplica().getTo()));
            case REPLICATE_ACTOR ->
                new AdminRequest.ReplicateActor(
                        IdentityMapping.table(proto.getReplicateActor().getTable()),
                        proto.getReplicateActor().getActor(),
                        proto.getReplicateActor().getCopies());
            case DRAIN_SERVER ->
                new AdminRequest.DrainServer(
                        IdentityMapping.server(proto.getDrainServer().getServer()),
                        proto.getDrainServer().getDrained());
            case SERVER_TRASH -> TrashMapping.fromProto(proto.getServerTrash());
            case VERIFY_ACTOR ->
                new AdminRequest.VerifyActor(
                        IdentityMapping.table(proto.getVerifyActor().getTable()),
                        proto.getVerifyActor().getActor());
            case HOLD_SCALING ->
                new AdminRequest.HoldScaling(ProtoValidator.text(
                        "reason", proto.getHoldScaling().getReason(), Limits.SCALING_REASON_CHARS_MAX));
            case SCALING_STATUS -> new AdminRequest.ScalingStatus();
            case CHANGE_GRANT, LIST_GRANTS, CHANGE_REVOCATION, CHANGE_LIMIT -> AccessMapping.fromProto(proto);
            case PUT_USER, REMOVE_USER, LIST_USERS -> UserMapping.fromProto(proto);
            case LIST_TABLES -> new AdminRequest.ListTables();
            case STATUS -> new AdminRequest.Status();
            case BACKUP_TABLE,
                    SALVAGE_TABLE,
                    RESTORE_TABLE,
                    LIST_BACKUPS,
                    VERIFY_BACKUP,
                    DELETE_BACKUP,
                    BACKUP_WORK,
                    LOST_TABLES -> BackupMapping.fromProto(proto);
            case REQUEST_NOT_SET ->
                throw ProtoValidator.malformed("admin request is missing or of a kind this version does not know");
        };
    }

    /** Encodes a reply in its envelope. */
    public static AdminProto.AdminReplyEnvelope toProto(AdminReply reply) {
        AdminProto.AdminReplyEnvelope.Builder proto = AdminProto.AdminReplyEnvelope.newBuilder();
        if (reply instanceof AdminReply.Ack) {
            proto.setAck(PeerProto.Ack.getDefaultInstance());
        } else if (reply instanceof AdminReply.Tables tables) {
            AdminProto.Tables.Builder message = AdminProto.Tables.newBuilder();
            tables.tables().forEach(table -> message.addTables(RoutingMapping.toProto(table)));
            proto.setTables(message);
        } else if (reply instanceof AdminReply.ClusterStatus status) {
            AdminProto.ClusterStatus.Builder message = AdminProto.ClusterStatus.newBuilder()
                    .setRouting(RoutingMapping.toProto(status.routing()))
                    .setTerm(status.term())
                    .addAllDrained(IdentityMapping.texts(status.drained()))
                    .setRebalance(RebalanceMapping.toProto(status.rebalance()))
                    .addAllProblems(LoadMapping.toProto(status.problems()));
            status.loads().forEach(load -> message.addLoads(LoadMapping.toProto(load)));
            proto.setStatus(message);
        } else if (reply instanceof AdminReply.Trashed trash) {
            proto.setTrash(TrashMapping.toProto(trash.report()));
        } else if (reply instanceof AdminReply.ChunkExplanation chunk) {
            proto.setChunk(ChunkMapping.toProto(chunk));
        } else if (reply instanceof AdminReply.Scaling scaling) {
            proto.setScaling(ScalingMapping.toProto(scaling));
        } else if (reply instanceof AdminReply.Verified verified) {
            proto.setVerified(CopyMapping.toProto(verified.compared()));
        } else if (reply instanceof AdminReply.UserRoles roles) {
            proto.setRoles(AccessMapping.toProto(roles));
        } else if (reply instanceof AdminReply.Users users) {
            proto.setUsers(UserMapping.toProto(users));
        } else {
            BackupMapping.put(proto, reply);
        }
        return proto.build();
    }

    /** Decodes the envelope's reply. Fails with INVALID_ARGUMENT if it is malformed. */
    public static AdminReply fromProto(AdminProto.AdminReplyEnvelope proto) {
        return switch (proto.getReplyCase()) {
            case ACK -> new AdminReply.Ack();
            case TABLES ->
                new AdminReply.Tables(ProtoValidator.list(
                        "tables", proto.getTables().getTablesList(), Limits.TABLES_MAX, RoutingMapping::fromProto));
            case STATUS ->
                new AdminReply.ClusterStatus(
                        RoutingMapping.fromProto(proto.getStatus().getRouting()),
                        proto.getStatus().getTerm(),
                        ProtoValidator.list(
                                "loads", proto.getStatus().getLoadsList(), Limits.SERVERS_MAX, LoadMapping::fromProto),
                        IdentityMapping.servers("drained", proto.getStatus().getDrainedList()),
                        RebalanceMapping.fromProto(proto.getStatus().getRebalance()),
                        LoadMapping.problems(proto.getStatus().getProblemsList()));
            case BACKUPS ->
                new AdminReply.Backups(BackupMapping.infos(proto.getBackups().getBackupsList()));
            case WORK ->
                new AdminReply.WorkProgress(
                        proto.getWork().getDone(), proto.getWork().getTotal());
            case DEFINITIONS ->
                new AdminReply.Definitions(ProtoValidator.list(
                        "definitions",
                        proto.getDefinitions().getTablesList(),
                        Limits.BACKUPS_TOLD_MAX,
                        TableMapping::fromProto));
            case TRASH -> new AdminReply.Trashed(TrashMapping.fromProto(proto.getTrash()));
            case VERIFIED -> new AdminReply.Verified(CopyMapping.fromProto(proto.getVerified()));
            case SCALING -> ScalingMapping.fromProto(proto.getScaling());
            case ROLES -> AccessMapping.fromProto(proto.getRoles());
            case USERS -> UserMapping.fromProto(proto.getUsers());
            case CHUNK -> ChunkMapping.fromProto(proto.getChunk());
            case REPLY_NOT_SET ->
                throw ProtoValidator.malformed("admin reply is missing or of a kind this version does not know");
        };
    }
}
