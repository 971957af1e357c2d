package io.uniserve.runtime.proto;

import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import java.util.List;

/** Mapping of requests for snapshots of several tables, and their replies. */
public final class ConsistentSnapshotMapping {
    private ConsistentSnapshotMapping() {}

    /** Encodes the requested tables. */
    public static DataProto.CutCall toProto(String cluster, List<TableName> tables) {
        DataProto.CutCall.Builder proto = DataProto.CutCall.newBuilder().setCluster(cluster);
        tables.forEach(table -> proto.addTables(table.value()));
        return proto.build();
    }

    /** Decodes the requested tables. Fails with INVALID_ARGUMENT if the message is malformed or names a table twice. */
    public static List<TableName> fromProto(DataProto.CutCall proto) {
        List<TableName> tables =
                ProtoValidator.list("tables", proto.getTablesList(), Limits.CUT_TABLES_MAX, IdentityMapping::table);
        if (tables.isEmpty() || tables.stream().distinct().count() < tables.size()) {
            throw ProtoValidator.malformed("tables are " + tables + ", use one or more, each once");
        }
        return tables;
    }

    /** Encodes the snapshot. */
    public static DataProto.CutReply toProto(ConsistentSnapshot consistentCut) {
        DataProto.CutReply.Builder proto = DataProto.CutReply.newBuilder();
        for (ConsistentSnapshot.Table table : consistentCut.tables()) {
            proto.addTables(DataProto.CutTable.newBuilder()
                    .setName(table.name().value())
                    .setTableId(table.tableId())
                    .setVersion(table.version())
                    .addAllEpochs(table.epochs()));
        }
        return proto.build();
    }

    /** Decodes the snapshot. Fails with INVALID_ARGUMENT if the message is malformed. */
    public static ConsistentSnapshot fromProto(DataProto.CutReply proto) {
        return new ConsistentSnapshot(ProtoValidator.list(
                "tables", proto.getTablesList(), Limits.CUT_TABLES_MAX, ConsistentSnapshotMapping::table));
    }

    private static ConsistentSnapshot.Table table(DataProto.CutTable proto) {
        return new ConsistentSnapshot.Table(
                IdentityMapping.table(proto.getName()),
                ProtoValidator.notNegative("table_id", proto.getTableId()),
                ProtoValidator.notNegative("version", proto.getVersion()),
                ProtoValidator.list(
                        "epochs",
                        proto.getEpochsList(),
                        Limits.TIME_ACTORS_PER_TABLE_MAX,
                        epoch -> ProtoValidator.notNegative("epoch", epoch)));
    }
}
