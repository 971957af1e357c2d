package io.uniserve.port.druid.query;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.port.druid.runtime.DruidServices;
import io.uniserve.port.druid.runtime.QueryFactories;
import io.uniserve.port.druid.runtime.QueryIds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.druid.hll.HyperLogLogCollector;
import org.apache.druid.java.util.common.guava.Sequence;
import org.apache.druid.java.util.common.guava.Sequences;
import org.apache.druid.query.Query;
import org.apache.druid.query.QueryContexts;
import org.apache.druid.query.QueryPlus;
import org.apache.druid.query.QueryToolChest;
import org.apache.druid.query.Result;
import org.apache.druid.query.aggregation.MetricManipulatorFns;
import org.apache.druid.query.context.ResponseContext;
import org.apache.druid.query.groupby.ResultRow;
import org.apache.druid.query.timeseries.TimeseriesResultValue;
import org.apache.druid.query.topn.TopNQuery;
import org.apache.druid.query.topn.TopNResultValue;
import org.jspecify.annotations.Nullable;

/**
 * Partial results of a {@link SegmentQuery}: of one actor, or merged from the actors of a server. If the answer depends on the order of
 * results, each actor's results stay separate, and the planner merges them in the order of actors. Otherwise servers merge them.
 *
 * <p>Results that the same server merges are Druid's objects. All others are Druid's serialized form in Smile. Immutable.
 */
public final class PartialResults {
    /** Codec of the values of {@link SegmentQueryCalls#RESULTS}. */
    static final Codec<PartialResults> CODEC = Codecs.of(PartialResults::write, PartialResults::read);

    /** Key of results whose order does not matter, in place of an actor's number. */
    private static final int ANY_ACTOR = 0;

    private final TimeRange times;
    private final SortedMap<Integer, Part> parts;

    /** Results of one actor, or merged from several actors: Druid's objects with their query, or the encoded form. */
    private record Part(
            @Nullable Query<?> query,
            List<?> rows,
            @Nullable Bytes encoded) {}

    private PartialResults(TimeRange times, SortedMap<Integer, Part> parts) {
        this.times = times;
        this.parts = parts;
    }

    /**
     * Results of an actor in the order of the query.
     *
     * @param actor number of the actor
     * @param times of the rows in the segments that were read
     */
    static <T> PartialResults of(int actor, TimeRange times, Query<T> query, List<T> rows) {
        return MergeOrder.isOrderSensitive(query)
                // Servers do not merge these, so they are encoded at once.
                ? new PartialResults(
                        times, new TreeMap<>(Map.of(actor, new Part(null, List.of(), encode(query, rows)))))
                : new PartialResults(
                        times, new TreeMap<>(Map.of(ANY_ACTOR, new Part(query, compact(query, rows), null))));
    }

    private static <T> List<T> compact(Query<T> query, List<T> rows) {
        return query instanceof TopNQuery topN && ExactTopN.isForActors(topN) ? TopNValues.compact(topN, rows) : rows;
    }

    /** Empty results for actors that the query does not ask, because their rows are outside of its intervals. */
    static PartialResults none(TimeRange times) {
        return new PartialResults(times, new TreeMap<>());
    }

    private static void write(BinaryWriter out, PartialResults results) {
        TimeRange.CODEC.write(out, results.times);
        out.writeInt(results.parts.size());
        results.parts.forEach((actor, part) -> out.writeInt(actor).writeBytes(encode(part)));
    }

    private static PartialResults read(BinaryReader in) {
        TimeRange times = TimeRange.CODEC.read(in);
        SortedMap<Integer, Part> parts = new TreeMap<>();
        for (int left = in.readCount(2 * Integer.BYTES); left > 0; left--) {
            parts.put(in.readInt(), new Part(null, List.of(), in.readBytes()));
        }
        return new PartialResults(times, parts);
    }

    /**
     * Merges results of several actors at once, as a data node merges results of its segments. If their order matters, it only collects them.
     *
     * @param all at least one
     */
    static PartialResults merge(SegmentQuery<?> request, List<PartialResults> all) {
        if (all.size() == 1) {
            return all.get(0);
        }
        if (!MergeOrder.isOrderSensitive(request.query())) {
            return merge(request.query(), range(all), all, DruidServices.get().dataNodeFactories());
        }
        SortedMap<Integer, Part> parts = new TreeMap<>();
        all.forEach(one -> parts.putAll(one.parts));
        return new PartialResults(range(all), parts);
    }

    private static <T> PartialResults merge(
            Query<T> asked, TimeRange times, List<PartialResults> parts, QueryFactories factories) {
        if (asked instanceof TopNQuery topN) {
            List<List<T>> all = decoded(asked, parts, factories).toList();
            List<T> rows = ExactTopN.isForActors(topN) ? TopNMerge.allValues(topN, all) : TopNMerge.best(topN, all);
            return new PartialResults(times, new TreeMap<>(Map.of(ANY_ACTOR, new Part(asked, rows, null))));
        }
        return of(ANY_ACTOR, times, asked, mergedRows(asked, parts, factories));
    }

    /** The results of all parts, merged by the tool chest. */
    static <T> List<T> mergedRows(Query<T> asked, List<PartialResults> parts, QueryFactories factories) {
        Query<T> query = asked.withOverriddenContext(Map.of(QueryContexts.QUERY_RESOURCE_ID, QueryIds.next()));
        QueryToolChest<T, Query<T>> toolChest = factories.conglomerate().getToolChest(query);
        return toolChest
                .mergeResults((plus, context) -> sorted(query, parts, factories), false)
                .run(QueryPlus.wrap(query), ResponseContext.createEmpty())
                .toList();
    }

    /** Copies of rows, made by encoding and decoding them. */
    static <T> List<T> copied(Query<T> query, List<T> rows, QueryFactories factories) {
        return rows(new Part(null, List.of(), encode(query, rows)), query, factories);
    }

    /** Times of all rows of the actors of these parts. */
    static TimeRange range(List<PartialResults> parts) {
        return parts.stream().map(part -> part.times).reduce(TimeRange.EMPTY, TimeRange::plus);
    }

    /** The results of all parts in the order of the query, and of actors; equal keys are adjacent and not merged. */
    static <T> Sequence<T> sorted(Query<T> query, List<PartialResults> parts, QueryFactories factories) {
        // Druid's merge of sequences keeps no order of equal rows; a sort does, and it is fast on sorted parts.
        List<T> all = new ArrayList<>();
        decoded(query, parts, factories).forEach(all::addAll);
        all.sort(query.getResultOrdering());
        return Sequences.simple(all);
    }

    /** The results of each part in the order of actors, with times as if one segment had all rows. Each part is decoded when it is used. */
    static <T> Stream<List<T>> decoded(Query<T> query, List<PartialResults> all, QueryFactories factories) {
        TimeRange range = range(all);
        return all.stream()
                .flatMap(one -> one.parts.entrySet().stream())
                .sorted(Map.Entry.comparingByKey()) // stable
                .map(part -> BucketTimes.withFirst(query, range, rows(part.getValue(), query, factories)));
    }

    /** Makes the collectors of a result dense. */
    private static void densify(Object result) {
        if (result instanceof ResultRow row) {
            Arrays.setAll(row.getArray(), place -> dense(row.getArray()[place]));
        } else if (result instanceof Result<?> timed && timed.getValue() instanceof TimeseriesResultValue values) {
            values.getBaseObject().replaceAll((name, value) -> dense(value));
        } else if (result instanceof Result<?> timed && timed.getValue() instanceof TopNResultValue values) {
            values.getValue().forEach(value -> value.getBaseObject().replaceAll((name, metric) -> dense(metric)));
        }
    }

    /**
     * A serialized collector of HyperLogLog is sparse, and Druid estimates a sparse one without its overflow register, which has the empty
     * text. Merged into an empty one it is dense.
     */
    private static @Nullable Object dense(@Nullable Object value) {
        return value instanceof HyperLogLogCollector collector && collector.getMaxOverflowValue() != 0
                ? HyperLogLogCollector.makeLatestCollector().fold(collector)
                : value;
    }

    @SuppressWarnings("unchecked") // Results of one request are all of the query's class.
    private static <T> List<T> rows(Part part, Query<T> asked, QueryFactories factories) {
        if (part.encoded == null) {
            return (List<T>) part.rows;
        }
        QueryToolChest<T, Query<T>> toolChest = factories.conglomerate().getToolChest(asked);
        ObjectMapper mapper = toolChest.decorateObjectMapper(DruidServices.get().smile(), asked);
        JavaType type = mapper.getTypeFactory().constructCollectionType(List.class, toolChest.getBaseResultType());
        try {
            List<T> decoded = mapper.readValue(part.encoded.toArray(), type);
            List<T> results = decoded.stream()
                    .map(toolChest.makePreComputeManipulatorFn(asked, MetricManipulatorFns.deserializing())::apply)
                    .toList();
            results.forEach(PartialResults::densify);
            return TopNTypes.restored(asked, results);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.PORT_PROTOCOL, "results cannot be read: " + e.getMessage(), e);
        }
    }

    /** Estimated bytes in memory, which are no less than those of {@link #CODEC}. */
    long estimateBytes() {
        long bytes = 0;
        for (Part part : parts.values()) {
            bytes += part.encoded != null
                    ? part.encoded.size()
                    : ResultSizes.estimate(Objects.requireNonNull(part.query), part.rows);
        }
        return bytes;
    }

    private static Bytes encode(Part part) {
        return part.encoded == null ? encode(Objects.requireNonNull(part.query), part.rows) : part.encoded;
    }

    private static <T> Bytes encode(Query<T> asked, List<?> rows) {
        QueryToolChest<T, Query<T>> toolChest =
                DruidServices.get().dataNodeFactories().conglomerate().getToolChest(asked);
        ObjectMapper mapper = toolChest.decorateObjectMapper(DruidServices.get().smile(), asked);
        JavaType type = mapper.getTypeFactory().constructCollectionType(List.class, toolChest.getBaseResultType());
        try {
            return Bytes.wrap(mapper.writerFor(type).writeValueAsBytes(rows));
        } catch (JsonProcessingException e) {
            throw new UniserveException(
                    ErrorCode.PORT_FAILED, "results cannot be serialized: " + e.getOriginalMessage(), e);
        }
    }
}
