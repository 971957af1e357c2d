package io.uniserve.cli.table;

import io.uniserve.cli.ServerNames;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.TextTable;
import io.uniserve.cli.status.ActorStateTexts;
import io.uniserve.model.ActorState;
import io.uniserve.model.Fencing;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.model.time.IsoPeriod;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Printer of tables on the console, as text or JSON. */
final class TablePrinter {
    private final Console console;
    private final boolean json;

    TablePrinter(Console console, boolean json) {
        this.console = console;
        this.json = json;
    }

    static String label(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    void created(TableRoute table) {
        if (json) {
            console.json(fields(table));
        } else {
            TableMeta meta = table.meta();
            console.println("created table " + meta.name() + ": engine " + meta.port() + ", "
                    + partitioning(meta.partitioner()) + ", " + meta.rf() + (meta.rf() == 1 ? " copy" : " copies")
                    + " of each, " + label(meta.level()));
        }
    }

    void updated(TableRoute table) {
        if (json) {
            console.json(fields(table));
        } else {
            console.println("changed table " + table.meta().name() + ": all its actors have the new options");
        }
    }

    void list(List<TableRoute> tables) {
        if (json) {
            console.json(tables.stream().map(TablePrinter::definition).toList());
            return;
        }
        TextTable text = new TextTable("TABLE", "PORT", "PARTITIONS", "KEY", "LEVEL", "RF", "MIN-ISR");
        for (TableRoute table : tables) {
            TableMeta meta = table.meta();
            text.row(
                    meta.name(),
                    meta.port(),
                    partitioning(meta.partitioner()),
                    meta.keyField(),
                    label(meta.level()),
                    meta.rf(),
                    meta.minIsr());
        }
        text.print(console);
    }

    void describe(TableRoute table, ActorStateTexts states) {
        if (json) {
            Map<String, Object> fields = definition(table);
            if (table.meta().partitioner() instanceof Partitioner.Time time) {
                fields.put("chunks", ChunkPrinter.chunks(table, time));
            }
            fields.put("placement", placement(table, states));
            console.json(fields);
            return;
        }
        definition(table).forEach((name, value) -> console.println("%-12s %s".formatted(name, value)));
        console.println("");
        if (table.meta().partitioner() instanceof Partitioner.Time time) {
            ChunkPrinter.print(console, table, time, states);
            return;
        }
        TextTable text = new TextTable("ACTOR", "EPOCH", "COPIES", "PRIMARY", "IN-SYNC", "LEARNERS", "FENCED", "STATE");
        for (ActorState actor : table.map().actors()) {
            text.row(
                    actor.actor(),
                    actor.epoch(),
                    Math.max(table.meta().rf(), actor.requestedReplicas()),
                    ServerNames.shortName(actor.primary()),
                    names(actor.isr()),
                    names(actor.learners()),
                    names(actor.fencing().stream().map(Fencing::server).toList()),
                    states.of(actor.actor()));
        }
        text.print(console);
    }

    private static String names(Collection<ServerId> servers) {
        return servers.isEmpty()
                ? "-"
                : String.join(",", servers.stream().map(ServerNames::shortName).toList());
    }

    private static String partitioning(Partitioner partitioner) {
        if (partitioner instanceof Partitioner.Range range) {
            return "range of " + range.actors();
        }
        if (partitioner instanceof Partitioner.Time time) {
            return "time by " + time.column() + ", chunks of " + time.chunks() + ", " + time.buckets()
                    + (time.buckets() == 1 ? " actor" : " actors") + " each, kept "
                    + time.retention().map(IsoPeriod::toString).orElse("for ever");
        }
        return "hash over " + partitioner.actors();
    }

    private static Map<String, Object> definition(TableRoute table) {
        TableMeta meta = table.meta();
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", meta.name().value());
        fields.put("id", meta.tableId());
        fields.put("port", meta.port());
        fields.put("key", meta.keyField());
        fields.put("actors", table.map().actors().size());
        if (meta.partitioner() instanceof Partitioner.Range range) {
            fields.put("rangeBounds", range.bounds());
        }
        if (meta.partitioner() instanceof Partitioner.Time time) {
            fields.put("time", ChunkPrinter.definition(time));
            fields.put("expiredBefore", ChunkPrinter.expiredBefore(table, time));
        }
        fields.put("rf", meta.rf());
        fields.put("minIsr", meta.minIsr());
        fields.put("level", label(meta.level()));
        fields.put("onLoss", label(meta.onLoss()));
        fields.put("durability", label(meta.durability()));
        fields.put("options", meta.options());
        return fields;
    }

    private static Map<String, Object> fields(TableRoute table) {
        Map<String, Object> fields = definition(table);
        fields.put("placement", placement(table, null));
        return fields;
    }

    private static List<Map<String, Object>> placement(TableRoute table, @Nullable ActorStateTexts states) {
        List<Map<String, Object>> actors = new ArrayList<>();
        for (ActorState actor : table.map().actors()) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("actor", actor.actor());
            one.put("epoch", actor.epoch());
            one.put("copies", Math.max(table.meta().rf(), actor.requestedReplicas()));
            one.put("primary", actor.primary().value());
            one.put("isr", actor.isr().stream().map(ServerId::value).toList());
            one.put("learners", actor.learners().stream().map(ServerId::value).toList());
            one.put(
                    "fenced",
                    actor.fencing().stream()
                            .map(fence -> fence.server().value())
                            .toList());
            if (states != null) {
                one.put("state", states.of(actor.actor()));
            }
            actors.add(one);
        }
        return actors;
    }
}
