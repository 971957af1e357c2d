package io.uniserve.testkit.simulation.engine;

import io.uniserve.api.Document;
import io.uniserve.api.operator.Chunk;
import io.uniserve.api.operator.ChunkSink;
import io.uniserve.api.operator.GatherCall;
import io.uniserve.api.operator.GatherOperator;
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
import java.util.TreeMap;

/**
 * Cuts an actor's lists into rows, one for each marker, and brings them together as they are. With every chunk goes how many
 * rows its source had in all, so that whoever has all chunks sees whether one state of it is there, whole and once.
 */
public final class ListOperators {
    /** The parameter is a salt of what comes into which slot. */
    public static final ScatterOperator<KvActor, Long> SCATTER =
            ScatterOperator.of(new ScatterCall<>("sim.scatter@1", Codecs.LONG), KvActor.class, ListOperators::scatter);

    /** The value has the chunks of all inputs. */
    public static final GatherOperator<KvActor, Long, List<Arrival>> GATHER = GatherOperator.of(
            new GatherCall<>(
                    "sim.gather@1", Codecs.LONG, Codecs.list(Codecs.of((out, one) -> one.write(out), Arrival::read))),
            KvActor.class,
            (actor, context, salt, chunks) -> gather(chunks));

    private ListOperators() {}

    /** A marker, and its place in the list. */
    public record Row(String key, int place, String marker) {}

    /**
     * What a slot got of one source.
     *
     * @param total rows that the source had for all slots
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
        bySlot.put(context.actor() % slots, new ArrayList<>()); // one with nothing in it tells that there is nothing
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
        bySlot.forEach((slot, rows) -> sink.put(slot, rows.size(), chunk(all, rows)));
    }

    /** Rows as a chunk. */
    public static Bytes chunk(int total, List<Row> rows) {
        BinaryWriter out = new BinaryWriter();
        new Arrival(0, 0, total, rows).write(out);
        return out.toBytes();
    }

    /** What a chunk has. */
    public static Arrival arrival(Bytes chunk) {
        return Arrival.read(new BinaryReader(chunk));
    }

    private static List<Arrival> gather(List<List<Chunk>> chunks) {
        List<Arrival> all = new ArrayList<>();
        for (int input = 0; input < chunks.size(); input++) {
            for (Chunk chunk : chunks.get(input)) {
                Arrival here = arrival(chunk.read());
                all.add(new Arrival(input, chunk.source(), here.total, here.rows));
            }
        }
        return all;
    }
}
