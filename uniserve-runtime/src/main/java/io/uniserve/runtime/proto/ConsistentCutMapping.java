package io.uniserve.runtime.proto;

import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import io.uniserve.protocol.message.ConsistentCut;
import java.util.List;

/** Cuts of tables: which are asked for, and what they were. */
public final class ConsistentCutMapping {
    private ConsistentCutMapping() {}

    /** The tables asked for as a message. */
    public static DataProto.CutCall toProto(String cluster, List<TableName> tables) {
        DataProto.CutCall.Builder proto = DataProto.CutCall.newBuilder().setCluster(cluster);
        tables.forEach(table -> proto.addTables(table.value()));
        return proto.build();
    }

    /** The message's tables; INVALID_ARGUMENT where it is malformed or names a table twice. */
    public static List<TableName> fromProto(DataProto.CutCall proto) {
        List<TableName> tables =
                ProtoChecks.list("tables", proto.getTablesList(), Limits.CUT_TABLES_MAX, IdentityMapping::table);
        if (tables.isEmpty() || tables.stream().distinct().count() < tables.size()) {
            throw ProtoChecks.malformed("tables are " + tables + ", use one or more, each once");
        }
        return tables;
    }

    /** The cut as a message. */
    public static DataProto.CutReply toProto(ConsistentCut consistentCut) {
        DataProto.CutReply.Builder proto = DataProto.CutReply.newBuilder();
        for (ConsistentCut.Table table : consistentCut.tables()) {
            proto.addTables(DataProto.CutTable.newBuilder()
                    .setName(table.name().value())
                    .setTableId(table.tableId())
                    .setVersion(table.version())
                    .addAllEpochs(table.epochs()));
        }
        return proto.build();
    }

    /** The message's cut; INVALID_ARGUMENT where it is malformed. */
    public static ConsistentCut fromProto(DataProto.CutReply proto) {
        return new ConsistentCut(
                ProtoChecks.list("tables", proto.getTablesList(), Limits.CUT_TABLES_MAX, ConsistentCutMapping::table));
    }

    private static ConsistentCut.Table table(DataProto.CutTable proto) {
        return new ConsistentCut.Table(
                IdentityMapping.table(proto.getName()),
                ProtoChecks.notNegative("table_id", proto.getTableId()),
                ProtoChecks.notNegative("version", proto.getVersion()),
                ProtoChecks.list(
                        "epochs",
                        proto.getEpochsList(),
                        Limits.ACTORS_PER_TABLE_MAX,
                        epoch -> ProtoChecks.notNegative("epoch", epoch)));
    }
}
