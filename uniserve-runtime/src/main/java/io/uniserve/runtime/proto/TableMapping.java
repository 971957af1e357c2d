package io.uniserve.runtime.proto;

import io.uniserve.limit.Limits;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.Durability;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Mapping of table definitions. */
public final class TableMapping {
    private TableMapping() {}

    public static ModelProto.TableMeta toProto(TableMeta meta) {
        return ModelProto.TableMeta.newBuilder()
                .setName(meta.name().value())
                .setTableId(meta.tableId())
                .setPartitioner(toProto(meta.partitioner()))
                .setKeyField(meta.keyField())
                .setLevelValue(ProtoValidator.number(meta.level()))
                .setRf(meta.rf())
                .setMinIsr(meta.minIsr())
                .setOnLossValue(ProtoValidator.number(meta.onLoss()))
                .setDurabilityValue(ProtoValidator.number(meta.durability()))
                .setPort(meta.port())
                .putAllOptions(meta.options())
                .build();
    }

    public static TableMeta fromProto(ModelProto.TableMeta proto) {
        return new TableMeta(
                IdentityMapping.table(proto.getName()),
                ProtoValidator.notNegative("table_id", proto.getTableId()),
                fromProto(proto.getPartitioner()),
                ProtoValidator.identifier("key_field", proto.getKeyField()),
                ProtoValidator.constant("level", ConsistencyLevel.values(), proto.getLevelValue()),
                proto.getRf(),
                proto.getMinIsr(),
                ProtoValidator.constant("on_loss", OnLoss.values(), proto.getOnLossValue()),
                durability(proto.getDurabilityValue()),
                ProtoValidator.identifier("port", proto.getPort()),
                options(proto.getOptionsMap()));
    }

    /** Decodes the durability; LOCAL if it is missing. */
    private static Durability durability(int number) {
        return number == 0 ? Durability.LOCAL : ProtoValidator.constant("durability", Durability.values(), number);
    }

    static Map<String, String> options(Map<String, String> options) {
        if (options.size() > Limits.TABLE_OPTIONS_MAX) {
            throw ProtoValidator.malformed(
                    "options has " + options.size() + " entries, at most " + Limits.TABLE_OPTIONS_MAX);
        }
        options.forEach((name, value) -> {
            ProtoValidator.identifier("option name", name);
            ProtoValidator.text("option " + name, value, Limits.TABLE_OPTION_BYTES_MAX);
        });
        return new TreeMap<>(options);
    }

    private static ModelProto.Partitioner toProto(Partitioner partitioner) {
        ModelProto.Partitioner.Builder proto = ModelProto.Partitioner.newBuilder();
        if (partitioner instanceof Partitioner.Hash hash) {
            proto.setHash(ModelProto.Partitioner.Hash.newBuilder().setActors(hash.actors()));
        } else if (partitioner instanceof Partitioner.Range range) {
            proto.setRange(ModelProto.Partitioner.Range.newBuilder().addAllBounds(range.bounds()));
        } else if (partitioner instanceof Partitioner.Time time) {
            proto.setTime(ModelProto.Partitioner.Time.newBuilder()
                    .setColumn(time.column())
                    .setChunk(time.chunks().period().toString())
                    .setZone(time.chunks().zone().getId())
                    .setBuckets(time.buckets())
                    .setRetention(time.retention().map(IsoPeriod::toString).orElse(""))
                    .setAhead(time.ahead().toString()));
        }
        return proto.build();
    }

    private static Partitioner.Time fromProto(ModelProto.Partitioner.Time proto) {
        return new Partitioner.Time(
                ProtoValidator.identifier("column", proto.getColumn()),
                new ChunkCalendar(IsoPeriod.parse("chunk", proto.getChunk()), ChunkCalendar.parseZone(proto.getZone())),
                proto.getBuckets(),
                proto.getRetention().isEmpty()
                        ? Optional.empty()
                        : Optional.of(IsoPeriod.parse("retention", proto.getRetention())),
                IsoPeriod.parse("ahead", proto.getAhead()));
    }

    private static Partitioner fromProto(ModelProto.Partitioner proto) {
        return switch (proto.getKindCase()) {
            case HASH -> new Partitioner.Hash(proto.getHash().getActors());
            case RANGE ->
                new Partitioner.Range(ProtoValidator.list(
                        "bounds", proto.getRange().getBoundsList(), Limits.ACTORS_PER_TABLE_MAX, bound -> bound));
            case TIME -> fromProto(proto.getTime());
            case KIND_NOT_SET ->
                throw ProtoValidator.malformed("partitioner is missing or of a kind this version does not know");
        };
    }
}
