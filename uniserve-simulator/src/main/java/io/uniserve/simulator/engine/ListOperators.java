package io.uniserve.simulator.engine;

import io.uniserve.api.Document;
import io.uniserve.api.operator.Chunk;
import io.uniserve.api.operator.ChunkSink;
import io.uniserve.api.operator.GatherCall;
import io.uniserve.api.operator.GatherOperator;
import io.uniserve.api.operator.MapCall;
import io.uniserve.api.operator.MapOperator;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.ScatterCall;
import io.uniserve.api.operator.ScatterOperator;
import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.port.kv.KvActor;
import io.uniserve.port.kv.KvOperators;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Test operators of shuffles. They split an actor's lists into one row per marker and collect the rows unchanged. Every chunk has the total
 * row count of its source. So the gather can check that it has one state of the source, completely and once.
 */
public final class ListOperators {
    /** Upper bound of the numbers of a plan's scatters, exclusive. */
    public static final int INPUTS_MAX = 16;

    /** Scatter operator. Its parameter combines the salt of the slot hash with the number of the scatter: {@link #salted}. */
    public static final ScatterOperator<KvActor, Long> SCATTER =
            ScatterOperator.of(new ScatterCall<>("sim.scatter@1", Codecs.LONG), KvActor.class, ListOperators::scatter);

    /** Map operator, which distributes the rows to slots again, by another salt. */
    public static final MapOperator<KvActor, Long> MAP =
            MapOperator.of(new MapCall<>("sim.map@1", Codecs.LONG), KvActor.class, ListOperators::map);

    /** Gather operator. Its value has all rows that arrived, directly or through a map. */
    public static final GatherOperator<KvActor, Long, List<Arrival>> GATHER = GatherOperator.of(
            new GatherCall<>(
                    "sim.gather@1", Codecs.LONG, Codecs.list(Codecs.of((out, one) -> one.write(out), Arrival::read))),
            KvActor.class,
            (actor, context, salt, chunks) -> gather(chunks));

    /** First byte of a map's chunk. */
    private static final byte MAPPED = 1;

    private ListOperators() {}

    /** The parameter of the scatter with this number. */
    public static long salted(long salt, int input) {
        return salt * INPUTS_MAX + input;
    }

    /** Marker with its position in a list. */
    public record Row(String key, int place, String marker) {}

    /**
     * Rows of one source that arrived in a slot.
     *
     * @param input the number of the scatter
     * @param source the actor that was scattered
     * @param total number of rows of the source for all slots
     */
    public record Arrival(int input, int source, int total, List<Row> rows) {
        public Arrival {
            rows = List.copyOf(rows);
        }

        private void write(BinaryWriter out) {
            out.writeInt(input).writeInt(source).writeInt(total).writeInt(rows.size());
            rows.forEach(row -> out.writeString(row.key).writeInt(row.place).writeString(row.marker));
        }

        private static Arrival read(BinaryReader in) {
            int input = in.readInt();
            int source = in.readInt();
            int total = in.readInt();
            List<Row> rows = new ArrayList<>();
            for (int left = in.readCount(12); left > 0; left--) {
                rows.add(new Row(in.readString(), in.readInt(), in.readString()));
            }
            return new Arrival(input, source, total, rows);
        }
    }

    private static void scatter(KvActor actor, OperatorContext context, long salt, int slots, ChunkSink sink) {
        TreeMap<Integer, List<Row>> bySlot = new TreeMap<>();
        bySlot.put(context.actor() % slots, new ArrayList<>()); // so an empty source has a chunk too
        int total = 0;
        for (Document document : KvOperators.SCAN.retrieve(actor, context, new KvOperators.Scan("", 10_000))) {
            String key = String.valueOf(document.fields().get("id"));
            List<?> markers = document.fields().get("values") instanceof List<?> values ? values : List.of();
            for (int place = 0; place < markers.size(); place++) {
                String marker = String.valueOf(markers.get(place));
                int slot = (int) Math.floorMod((marker.hashCode() ^ salt) * 0x9e3779b97f4a7c15L >>> 33, (long) slots);
                bySlot.computeIfAbsent(slot, s -> new ArrayList<>()).add(new Row(key, place, marker));
                total++;
            }
        }
        int all = total;
        int input = (int) Math.floorMod(salt, (long) INPUTS_MAX);
        bySlot.forEach((slot, rows) -> sink.put(slot, rows.size(), chunk(new Arrival(input, 0, all, rows))));
    }

    private static void map(
            KvActor actor, OperatorContext context, long salt, List<List<Chunk>> chunks, int slots, ChunkSink sink) {
        TreeMap<Integer, List<Arrival>> bySlot = new TreeMap<>();
        for (Arrival arrival : gather(chunks)) {
            TreeMap<Integer, List<Row>> rows = new TreeMap<>();
            rows.put(arrival.source % slots, new ArrayList<>()); // so an empty source has a chunk too
            for (Row row : arrival.rows) {
                int slot = (int) Math.floorMod(
                        ((row.key + row.place).hashCode() ^ salt) * 0x9e3779b97f4a7c15L >>> 33, (long) slots);
                rows.computeIfAbsent(slot, s -> new ArrayList<>()).add(row);
            }
            rows.forEach((slot, some) -> bySlot.computeIfAbsent(slot, s -> new ArrayList<>())
                    .add(new Arrival(arrival.input, arrival.source, arrival.total, some)));
        }
        bySlot.forEach((slot, some) -> {
            BinaryWriter out = new BinaryWriter();
            out.writeByte(MAPPED).writeInt(some.size());
            some.forEach(arrival -> arrival.write(out));
            sink.put(slot, some.stream().mapToLong(one -> one.rows.size()).sum(), out.toBytes());
        });
    }

    /** Encodes a scatter's chunk. The exchange knows its source. */
    public static Bytes chunk(Arrival arrival) {
        BinaryWriter out = new BinaryWriter();
        out.writeByte(0);
        arrival.write(out);
        return out.toBytes();
    }

    /** Decodes a scatter's chunk; empty for a map's chunk. */
    public static Optional<Arrival> arrival(Bytes chunk) {
        BinaryReader in = new BinaryReader(chunk);
        return in.readByte() == MAPPED ? Optional.empty() : Optional.of(Arrival.read(in));
    }

    private static List<Arrival> gather(List<List<Chunk>> chunks) {
        List<Arrival> all = new ArrayList<>();
        for (List<Chunk> input : chunks) {
            for (Chunk chunk : input) {
                Bytes bytes = chunk.read();
                Optional<Arrival> scattered = arrival(bytes);
                if (scattered.isPresent()) {
                    Arrival here = scattered.get();
                    all.add(new Arrival(here.input, chunk.source(), here.total, here.rows));
                    continue;
                }
                BinaryReader in = new BinaryReader(bytes);
                in.readByte();
                for (int left = in.readCount(16); left > 0; left--) {
                    all.add(Arrival.read(in));
                }
            }
        }
        return all;
    }
}
