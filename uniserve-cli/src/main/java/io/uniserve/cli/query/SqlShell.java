package io.uniserve.cli.query;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.TextTable;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.Routing.TableRoute;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** Shell commands of {@code uniserve sql}: lines that start with a backslash. Not thread-safe. */
final class SqlShell {
    /** Ends the shell. */
    static final String QUIT = "\\q";

    private static final Pattern SPACE = Pattern.compile("\\s+");

    private static final List<String> HELP = List.of(
            "SELECT ...;        answer a statement, of any number of lines",
            "EXPLAIN SELECT ...; run it and print its steps",
            "\\d                 the tables with typed columns",
            "\\d TABLE           a table's columns",
            "\\timing            switch the time per statement on or off",
            "\\?                 this",
            "\\q, or Ctrl-D      end");

    private final Console console;
    private final boolean json;
    private boolean timed;

    SqlShell(Console console, boolean json) {
        this.console = console;
        this.json = json;
    }

    /** Runs a line. Fails with INVALID_ARGUMENT for an unknown command. */
    void run(String line, List<TableRoute> tables) {
        String[] words = SPACE.split(line.strip());
        if (words[0].equals("\\d") && words.length == 1) {
            tables(tables);
        } else if (words[0].equals("\\d") && words.length == 2) {
            columns(words[1], tables);
        } else if (words[0].equals("\\timing") && words.length == 1) {
            timed = !timed;
            console.note("timing is " + (timed ? "on" : "off"));
        } else if (words[0].equals("\\?") && words.length == 1) {
            HELP.forEach(console::println);
        } else {
            throw UniserveException.invalid("\"" + words[0] + "\" with " + (words.length - 1)
                    + " words is not a command of the shell; \\? lists them; statements end with a semicolon");
        }
    }

    /** Prints the time of a statement, if timing is on. */
    void printTime(long nanos) {
        if (timed) {
            console.note(String.format(Locale.ROOT, "%.1f ms", nanos / 1e6));
        }
    }

    private static List<TableRoute> typedTables(List<TableRoute> tables) {
        return tables.stream()
                .filter(route -> ColumnSchema.isDefinedBy(route.meta()))
                .toList();
    }

    private void tables(List<TableRoute> all) {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (TableRoute route : typedTables(all)) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("table", route.meta().name().value());
            row.put("port", route.meta().port());
            row.put("key", route.meta().keyField());
            row.put("actors", route.map().actors().size());
            rows.add(row);
        }
        print("tables", List.of("table", "port", "key", "actors"), rows);
    }

    private void columns(String name, List<TableRoute> all) {
        TableRoute route = typedTables(all).stream()
                .filter(one -> one.meta().name().value().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() ->
                        UniserveException.invalid("no table \"" + name + "\" with typed columns; \\d lists them"));
        ColumnSchema columns = ColumnSchema.of(route.meta());
        List<Map<String, Object>> rows = new ArrayList<>();
        for (ColumnSchema.Column column : columns.columns()) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("column", column.name());
            row.put("type", column.type().sqlName().toLowerCase(Locale.ROOT));
            row.put("primary", columns.primaryKey().contains(column.name()) ? "yes" : "");
            rows.add(row);
        }
        print("columns", List.of("column", "type", "primary"), rows);
    }

    private void print(String what, List<String> columns, List<Map<String, Object>> rows) {
        if (json) {
            console.json(Map.of(what, rows));
            return;
        }
        TextTable table = new TextTable(columns.toArray(String[]::new));
        rows.forEach(row -> table.row(row.values().toArray()));
        table.print(console);
    }
}
