package io.uniserve.runtime.proto;

import io.uniserve.limit.Limits;
import io.uniserve.model.BackupInfo;
import io.uniserve.model.BackupName;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import java.util.List;

/** Mapping of clients' requests to the coordinator about backups of tables, and its replies. */
public final class BackupMapping {
    private BackupMapping() {}

    /** Encodes a request; false if it is not about backups. */
    static boolean put(AdminProto.AdminCall.Builder proto, AdminRequest request) {
        if (request instanceof AdminRequest.BackupTable backup) {
            proto.setBackupTable(AdminProto.BackupTable.newBuilder()
                    .setTable(backup.table().value())
                    .setName(backup.name().value()));
        } else if (request instanceof AdminRequest.SalvageTable salvage) {
            proto.setSalvageTable(AdminProto.SalvageTable.newBuilder()
                    .setTableId(salvage.tableId())
                    .setName(salvage.name().value()));
        } else if (request instanceof AdminRequest.RestoreTable restore) {
            proto.setRestoreTable(AdminProto.RestoreTable.newBuilder()
                    .setName(restore.name().value())
                    .setTable(restore.table().value()));
        } else if (request instanceof AdminRequest.ListBackups) {
            proto.setListBackups(AdminProto.ListBackups.getDefaultInstance());
        } else if (request instanceof AdminRequest.VerifyBackup verify) {
            proto.setVerifyBackup(verify.name().value());
        } else if (request instanceof AdminRequest.DeleteBackup delete) {
            proto.setDeleteBackup(delete.name().value());
        } else if (request instanceof AdminRequest.BackupWork work) {
            proto.setBackupWork(work.name().value());
        } else if (request instanceof AdminRequest.LostTables) {
            proto.setLostTables(AdminProto.LostTables.getDefaultInstance());
        } else {
            return false;
        }
        return true;
    }

    static AdminRequest fromProto(AdminProto.AdminCall proto) {
        return switch (proto.getRequestCase()) {
            case BACKUP_TABLE ->
                new AdminRequest.BackupTable(
                        IdentityMapping.table(proto.getBackupTable().getTable()),
                        new BackupName(proto.getBackupTable().getName()));
            case SALVAGE_TABLE ->
                new AdminRequest.SalvageTable(
                        ProtoValidator.notNegative(
                                "table_id", proto.getSalvageTable().getTableId()),
                        new BackupName(proto.getSalvageTable().getName()));
            case RESTORE_TABLE ->
                new AdminRequest.RestoreTable(
                        new BackupName(proto.getRestoreTable().getName()),
                        IdentityMapping.table(proto.getRestoreTable().getTable()));
            case LIST_BACKUPS -> new AdminRequest.ListBackups();
            case VERIFY_BACKUP -> new AdminRequest.VerifyBackup(new BackupName(proto.getVerifyBackup()));
            case DELETE_BACKUP -> new AdminRequest.DeleteBackup(new BackupName(proto.getDeleteBackup()));
            case BACKUP_WORK -> new AdminRequest.BackupWork(new BackupName(proto.getBackupWork()));
            case LOST_TABLES -> new AdminRequest.LostTables();
            default -> throw ProtoValidator.malformed("admin request is not about backups");
        };
    }

    static void put(AdminProto.AdminReplyEnvelope.Builder proto, AdminReply reply) {
        if (reply instanceof AdminReply.Backups backups) {
            AdminProto.Backups.Builder message = AdminProto.Backups.newBuilder();
            backups.backups().forEach(one -> message.addBackups(toProto(one)));
            proto.setBackups(message);
        } else if (reply instanceof AdminReply.WorkProgress work) {
            proto.setWork(AdminProto.WorkDone.newBuilder().setDone(work.done()).setTotal(work.total()));
        } else if (reply instanceof AdminReply.Definitions definitions) {
            AdminProto.TableDefinitions.Builder message = AdminProto.TableDefinitions.newBuilder();
            definitions.tables().forEach(meta -> message.addTables(TableMapping.toProto(meta)));
            proto.setDefinitions(message);
        }
    }

    public static ModelProto.BackupInfo toProto(BackupInfo info) {
        return ModelProto.BackupInfo.newBuilder()
                .setId(info.id())
                .setName(info.name())
                .setCluster(info.cluster())
                .setTable(info.table())
                .setTableId(info.tableId())
                .setActors(info.actors())
                .setStateValue(ProtoValidator.number(info.state()))
                .setBytes(info.bytes())
                .setEntries(info.entries())
                .setDetail(ProtoValidator.clip(info.detail(), Limits.MESSAGE_TEXT_CHARS_MAX))
                .build();
    }

    public static List<BackupInfo> infos(List<ModelProto.BackupInfo> protos) {
        return ProtoValidator.list("backups", protos, 2 * Limits.BACKUPS_TOLD_MAX, BackupMapping::fromProto);
    }

    private static BackupInfo fromProto(ModelProto.BackupInfo proto) {
        return new BackupInfo(
                ProtoValidator.identifier("id", proto.getId()),
                ProtoValidator.identifier("name", proto.getName()),
                ProtoValidator.identifier("cluster", proto.getCluster()),
                ProtoValidator.identifier("table", proto.getTable()),
                ProtoValidator.notNegative("table_id", proto.getTableId()),
                (int) ProtoValidator.notNegative("actors", proto.getActors()),
                ProtoValidator.constant("state", BackupInfo.State.values(), proto.getStateValue()),
                ProtoValidator.notNegative("bytes", proto.getBytes()),
                ProtoValidator.notNegative("entries", proto.getEntries()),
                ProtoValidator.text("detail", proto.getDetail(), Limits.MESSAGE_TEXT_CHARS_MAX));
    }
}
