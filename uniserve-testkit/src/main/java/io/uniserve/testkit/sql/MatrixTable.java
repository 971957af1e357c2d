package io.uniserve.testkit.sql;

import io.uniserve.api.Document;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Table of the matrix.
 *
 * @param name the table's name
 * @param columns names and types in the syntax of table option {@code columns}; the first one is the key
 * @param actors number of actors
 * @param rows values in the order of columns: Long, Double, Boolean, or a String for decimals, texts and dates
 */
public record MatrixTable(String name, String columns, int actors, List<List<@Nullable Object>> rows) {
    public MatrixTable {
        rows = List.copyOf(rows);
    }

    /** Names of the columns, in order. */
    public List<String> names() {
        return List.of(columns.split(",(?![^(]*\\))")).stream()
                .map(column -> column.strip().split(" ", 2)[0])
                .toList();
    }

    /** The same table without the rows that a port rejects. */
    public MatrixTable withoutRows(List<List<@Nullable Object>> refused) {
        List<List<@Nullable Object>> kept = new ArrayList<>(rows);
        kept.removeAll(refused);
        return new MatrixTable(name, columns, actors, kept);
    }

    /** Creates the table on a cluster and fills it by the port's update function {@code put@1}. */
    public void load(UniserveClient client, String port) {
        client.admin()
                .createTable(TableSpec.named(name)
                        .port(port)
                        .keyField("id")
                        .hash(actors)
                        .option("columns", columns));
        put(client, port, rows);
    }

    /** Sends some of the rows. */
    public void put(UniserveClient client, String port, List<List<@Nullable Object>> some) {
        List<Document> documents = some.stream().map(this::document).toList();
        if (!documents.isEmpty()) {
            client.table(name)
                    .update(port + ".put@1", Document.CODEC, documents)
                    .run()
                    .orThrow();
        }
    }

    private Document document(List<@Nullable Object> row) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        for (int i = 0; i < row.size(); i++) {
            if (row.get(i) != null) {
                fields.put(names().get(i), row.get(i));
            }
        }
        return new Document("id", fields);
    }
}
