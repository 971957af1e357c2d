package io.uniserve.benchmark.druid;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.uniserve.api.Document;
import io.uniserve.benchmark.balance.HotWorkload;
import io.uniserve.cli.command.Console;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * Port druid: lineitem of TPC-H with one actor per month. A query is the exact topN of the parts of one month. The right quantities follow
 * from the rows; the other metrics must not change from the first answer on.
 */
public final class HotMonthWorkload implements HotWorkload {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String PART = "l_partkey";
    private static final String QUANTITY = "l_quantity";
    private static final int TOP = 100;

    private final List<LineitemChunks.Chunk> chunks;
    private final int hot;
    private final long rows;
    private final List<String> queries = new ArrayList<>();
    private final List<List<Long>> quantities = new ArrayList<>();
    private final List<String> first = new ArrayList<>();

    /**
     * Generates the rows.
     *
     * @param directory new directory of their files
     * @param scale scale factor of TPC-H
     */
    public HotMonthWorkload(Path directory, double scale, Console console, LongSupplier nanos) {
        LineitemChunks data = new LineitemChunks(directory, scale, console, nanos);
        chunks = data.chunks();
        rows = data.rows();
        hot = data.largest().number();
        for (LineitemChunks.Chunk chunk : chunks) {
            queries.add(DruidQueries.partsOfChunk(table(), chunk).json());
            quantities.add(topQuantities(chunk.lines()));
        }
    }

    /** Options of a cluster with the port. */
    public static ProcessClusterOptions options(Path directory, int servers, String heap) {
        return UniserveDruidCluster.options(directory, servers, heap);
    }

    /** Returns the largest sums of l_quantity of single parts, in descending order. */
    static List<Long> topQuantities(Collection<String> lines) {
        int part = LineitemChunks.COLUMNS.indexOf(PART);
        int quantity = LineitemChunks.COLUMNS.indexOf(QUANTITY);
        Map<String, Long> sums = new HashMap<>();
        for (String line : lines) {
            String[] values = line.split("\\|", -1);
            sums.merge(values[part], Long.valueOf(values[quantity]), Long::sum);
        }
        return sums.values().stream()
                .sorted(Comparator.reverseOrder())
                .limit(TOP)
                .toList();
    }

    @Override
    public String table() {
        return "hot";
    }

    @Override
    public String description() {
        return rows + " rows of lineitem in " + chunks.size()
                + " months; a query is the topN of the parts of one month, "
                + chunks.get(hot).month() + " is hot";
    }

    @Override
    public void load(UniserveClient client) {
        List<Long> bounds = new ArrayList<>();
        for (long number = 1; number < chunks.size(); number++) {
            bounds.add(number);
        }
        client.admin()
                .createTable(TableSpec.named(table())
                        .port("druid")
                        .keyField(UniserveDruidCluster.KEY)
                        .range(bounds)
                        .replicas(1)
                        .option("dataSchema", DruidSchema.dataSchema(table())));
        for (LineitemChunks.Chunk chunk : chunks) {
            client.table(table())
                    .update(
                            UniserveDruidCluster.APPEND,
                            Document.CODEC,
                            UniserveDruidCluster.documents(chunk.lines(), chunk.number()))
                    .run()
                    .orThrow();
        }
        for (int part = 0; part < chunks.size(); part++) {
            first.add(answer(client, part));
        }
    }

    private String answer(UniserveClient client, int part) {
        return client.table(table())
                .key((long) part)
                .query(queries.get(part))
                .body()
                .utf8();
    }

    @Override
    public int parts() {
        return chunks.size();
    }

    @Override
    public int hotPart() {
        return hot;
    }

    @Override
    public Optional<String> query(UniserveClient client, int part, long n) {
        return difference(quantities.get(part), first.get(part), answer(client, part));
    }

    /** Compares an answer with the quantities of the rows and with the first answer. */
    static Optional<String> difference(List<Long> quantities, String first, String answer) {
        try {
            List<Long> found = new ArrayList<>();
            Map<String, Long> parts = new TreeMap<>();
            for (JsonNode row : JSON.readTree(answer).path(0).path("result")) {
                found.add(row.path(QUANTITY).asLong());
                parts.put(row.path(PART).asText(), row.path(QUANTITY).asLong());
            }
            if (!found.equals(quantities) || parts.size() != found.size()) {
                return Optional.of("quantities are " + found + ", not " + quantities);
            }
            return answer.equals(first) ? Optional.empty() : DruidAnswerComparator.difference(answer, first);
        } catch (JsonProcessingException e) {
            return Optional.of("the answer is not JSON: " + answer);
        }
    }
}
