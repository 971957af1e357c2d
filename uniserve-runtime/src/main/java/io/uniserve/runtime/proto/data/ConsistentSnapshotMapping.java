package io.uniserve.runtime.proto.data;

import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.runtime.proto.DataProto;
import io.uniserve.runtime.proto.IdentityMapping;
import io.uniserve.runtime.proto.ProtoValidator;
import java.util.List;
import java.util.stream.IntStream;

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
                    .addAllEpochs(table.epochs())
                    .addAllActors(isDense(table.actors()) ? List.of() : table.actors())
                    .setGeneration(table.generation()));
        }
        return proto.build();
    }

    /** Decodes the snapshot. Fails with INVALID_ARGUMENT if the message is malformed. */
    public static ConsistentSnapshot fromProto(DataProto.CutReply proto) {
        return new ConsistentSnapshot(ProtoValidator.list(
                "tables", proto.getTablesList(), Limits.CUT_TABLES_MAX, ConsistentSnapshotMapping::table));
    }

    private static ConsistentSnapshot.Table table(DataProto.CutTable proto) {
        List<Long> epochs = ProtoValidator.list(
                "epochs",
                proto.getEpochsList(),
                Limits.TIME_ACTORS_PER_TABLE_MAX,
                epoch -> ProtoValidator.notNegative("epoch", epoch));
        long version = ProtoValidator.notNegative("version", proto.getVersion());
        long tableId = ProtoValidator.notNegative("table_id", proto.getTableId());
        long generation = ProtoValidator.notNegative("generation", proto.getGeneration());
        List<Integer> actors = proto.getActorsCount() == 0
                ? IntStream.range(0, epochs.size()).boxed().toList()
                : ascending(ProtoValidator.list(
                        "actors", proto.getActorsList(), Limits.TIME_ACTORS_PER_TABLE_MAX, ProtoValidator::actor));
        return new ConsistentSnapshot.Table(
                IdentityMapping.table(proto.getName()), tableId, version, actors, epochs, generation);
    }

    /** True if the numbers, which ascend, are 0 to n - 1. */
    private static boolean isDense(List<Integer> actors) {
        return actors.isEmpty() || actors.get(actors.size() - 1) == actors.size() - 1;
    }

    private static List<Integer> ascending(List<Integer> actors) {
        for (int i = 1; i < actors.size(); i++) {
            if (actors.get(i) <= actors.get(i - 1)) {
                throw ProtoValidator.malformed("actor " + actors.get(i) + " follows actor " + actors.get(i - 1)
                        + " in a snapshot: numbers must ascend");
            }
        }
        return actors;
    }
}
