package io.uniserve.cli.table;

import io.uniserve.cli.ServerNames;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.TextTable;
import io.uniserve.cli.status.ActorStateTexts;
import io.uniserve.model.ActorState;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.time.IsoPeriod;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Printer of the chunks of a table that is partitioned by time. */
final class ChunkPrinter {
    private ChunkPrinter() {}

    /** Prints one line per chunk, oldest first. */
    static void print(Console console, TableRoute table, Partitioner.Time time, ActorStateTexts states) {
        TextTable text = new TextTable("CHUNK", "START", "END", "EXPIRES", "ACTORS", "SERVERS", "STATE");
        byOrdinal(table, time).forEach((ordinal, actors) -> {
            TreeSet<String> conditions = new TreeSet<>();
            actors.forEach(actor -> conditions.add(states.of(actor.actor())));
            text.row(
                    ordinal,
                    time.chunks().startText(ordinal),
                    time.chunks().text(time.chunks().end(ordinal)),
                    expiry(time, ordinal),
                    numbers(actors),
                    String.join(
                            ",",
                            servers(actors).stream().map(ServerNames::shortName).toList()),
                    String.join(", ", conditions));
        });
        text.print(console);
    }

    /** The partitioning for JSON. */
    static Map<String, Object> definition(Partitioner.Time time) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("column", time.column());
        fields.put("chunk", time.chunks().period().toString());
        fields.put("zone", time.chunks().zone().getId());
        fields.put("buckets", time.buckets());
        fields.put("retention", time.retention().map(IsoPeriod::toString).orElse(""));
        fields.put("ahead", time.ahead().toString());
        return fields;
    }

    /** Start of the first chunk that is not expired; empty if none is. */
    static String expiredBefore(TableRoute table, Partitioner.Time time) {
        int watermark = table.map().expiredBefore();
        return watermark == 0 ? "" : time.chunks().startText(watermark);
    }

    /** The chunks for JSON, oldest first. */
    static List<Map<String, Object>> chunks(TableRoute table, Partitioner.Time time) {
        List<Map<String, Object>> chunks = new ArrayList<>();
        byOrdinal(table, time).forEach((ordinal, actors) -> {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("chunk", ordinal);
            one.put("start", time.chunks().startText(ordinal));
            one.put("end", time.chunks().text(time.chunks().end(ordinal)));
            one.put("expires", expiry(time, ordinal));
            one.put("actors", actors.stream().map(ActorState::actor).toList());
            one.put("servers", servers(actors).stream().map(ServerId::value).toList());
            chunks.add(one);
        });
        return chunks;
    }

    private static TreeMap<Integer, List<ActorState>> byOrdinal(TableRoute table, Partitioner.Time time) {
        TreeMap<Integer, List<ActorState>> chunks = new TreeMap<>();
        for (ActorState actor : table.map().actors()) {
            chunks.computeIfAbsent(time.ordinalOf(actor.actor()), ordinal -> new ArrayList<>())
                    .add(actor);
        }
        return chunks;
    }

    private static String expiry(Partitioner.Time time, int ordinal) {
        return time.expiryOf(ordinal).map(time.chunks()::text).orElse("never");
    }

    private static String numbers(List<ActorState> actors) {
        int first = actors.get(0).actor();
        int last = actors.get(actors.size() - 1).actor();
        return first == last ? String.valueOf(first) : first + "-" + last;
    }

    private static TreeSet<ServerId> servers(List<ActorState> actors) {
        TreeSet<ServerId> servers = new TreeSet<>();
        actors.forEach(actor -> servers.addAll(actor.isr()));
        return servers;
    }
}
