package io.uniserve.port.druid.query;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.port.druid.runtime.DruidServices;
import io.uniserve.port.druid.runtime.QueryFactories;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.druid.java.util.common.guava.Sequence;
import org.apache.druid.java.util.common.guava.Sequences;
import org.apache.druid.query.Query;
import org.apache.druid.query.QueryContexts;
import org.apache.druid.query.QueryPlus;
import org.apache.druid.query.QueryToolChest;
import org.apache.druid.query.aggregation.MetricManipulatorFns;
import org.apache.druid.query.context.ResponseContext;
import org.jspecify.annotations.Nullable;

/**
 * Results of a {@link SegmentQuery} that are not final yet: of one actor, or merged from the actors of a server. It holds Druid's objects
 * where they were computed, and Druid's serialized form in Smile once they have travelled. Immutable.
 */
public final class PartialResults {
    /** Codec of the values of {@link SegmentQueryCalls#RESULTS}. */
    static final Codec<PartialResults> CODEC = Codecs.of(
            (out, results) -> {
                TimeRange.CODEC.write(out, results.times);
                out.writeBytes(results.encode());
            },
            in -> new PartialResults(TimeRange.CODEC.read(in), in.readBytes()));

    private final TimeRange times;
    private final @Nullable Bytes encoded;
    private final @Nullable Query<?> query;
    private final List<?> rows;

    private PartialResults(TimeRange times, Bytes encoded) {
        this.times = times;
        this.encoded = encoded;
        this.query = null;
        this.rows = List.of();
    }

    private PartialResults(TimeRange times, Query<?> query, List<?> rows) {
        this.times = times;
        this.encoded = null;
        this.query = query;
        this.rows = rows;
    }

    /**
     * Results in the order of the query.
     *
     * @param times of the rows in the segments that were read
     */
    static <T> PartialResults of(TimeRange times, Query<T> query, List<T> rows) {
        return new PartialResults(times, query, rows);
    }

    /** Merges results of two groups of actors, as a data node merges results of its segments. */
    static PartialResults merge(SegmentQuery<?> request, PartialResults left, PartialResults right) {
        return merge(request.query(), List.of(left, right), DruidServices.get().reading());
    }

    private static <T> PartialResults merge(Query<T> asked, List<PartialResults> parts, QueryFactories factories) {
        Query<T> query = asked.withOverriddenContext(
                Map.of(QueryContexts.QUERY_RESOURCE_ID, UUID.randomUUID().toString()));
        QueryToolChest<T, Query<T>> toolChest = factories.conglomerate().getToolChest(query);
        Sequence<T> merged = toolChest
                .mergeResults((plus, context) -> sorted(query, parts, factories), false)
                .run(QueryPlus.wrap(query), ResponseContext.createEmpty());
        return of(range(parts), asked, merged.toList());
    }

    private static TimeRange range(List<PartialResults> parts) {
        return parts.stream().map(part -> part.times).reduce(TimeRange.EMPTY, TimeRange::plus);
    }

    /** The results of all parts in the order of the query; equal keys are adjacent and not merged. */
    static <T> Sequence<T> sorted(Query<T> query, List<PartialResults> parts, QueryFactories factories) {
        List<Sequence<T>> sequences =
                decoded(query, parts, factories).stream().map(Sequences::simple).toList();
        return Sequences.simple(sequences).flatMerge(sequence -> sequence, query.getResultOrdering());
    }

    /** The results of each part, with times as if one segment had all rows. */
    static <T> List<List<T>> decoded(Query<T> query, List<PartialResults> parts, QueryFactories factories) {
        TimeRange range = range(parts);
        return parts.stream()
                .map(part -> BucketTimes.aligned(query, range, part.rows(query, factories)))
                .toList();
    }

    @SuppressWarnings("unchecked") // Results of one request are all of the query's class.
    private <T> List<T> rows(Query<T> asked, QueryFactories factories) {
        if (encoded == null) {
            return (List<T>) rows;
        }
        QueryToolChest<T, Query<T>> toolChest = factories.conglomerate().getToolChest(asked);
        ObjectMapper mapper = toolChest.decorateObjectMapper(DruidServices.get().smile(), asked);
        JavaType type = mapper.getTypeFactory().constructCollectionType(List.class, toolChest.getBaseResultType());
        try {
            List<T> decoded = mapper.readValue(encoded.toArray(), type);
            return decoded.stream()
                    .map(toolChest.makePreComputeManipulatorFn(asked, MetricManipulatorFns.deserializing())::apply)
                    .toList();
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.PORT_PROTOCOL, "results cannot be read: " + e.getMessage(), e);
        }
    }

    private Bytes encode() {
        if (encoded != null) {
            return encoded;
        }
        return encode(java.util.Objects.requireNonNull(query));
    }

    private <T> Bytes encode(Query<T> asked) {
        QueryToolChest<T, Query<T>> toolChest =
                DruidServices.get().reading().conglomerate().getToolChest(asked);
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
