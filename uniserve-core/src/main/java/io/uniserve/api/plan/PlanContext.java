package io.uniserve.api.plan;

import io.uniserve.api.QueryCancellation;
import io.uniserve.api.operator.Combiner;
import io.uniserve.api.operator.PerActorParameters;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.error.UniserveException;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Access to the cluster for a planner: table definitions, operators on actors, and shuffles. One object per query.
 *
 * <p>Not thread-safe. All methods that run operators block.
 *
 * <p>Errors: failures of operators and servers are thrown as {@link UniserveException}, after retries on other replicas.
 *
 * <pre>{@code
 * context.oneState(); // both rounds below see the same rows
 * long count = context.retrieve(table, COUNT_CALL, 0L, values -> sum(values));
 * Map<Integer, List<Hit>> hits = context.retrieveEach(table, HITS_CALL, parametersByActor(count));
 * }</pre>
 */
public interface PlanContext extends QueryCancellation {
    /** The table's definition; TABLE_NOT_FOUND if there is no such table. */
    TableMeta table(TableName name);

    /**
     * Makes all retrieves of this plan read one state per actor, that of the first retrieve, so that a later round fetches exactly the rows
     * that an earlier one counted. Call it before the first retrieve. The actors must be {@link io.uniserve.api.extra.SnapshotActor}s.
     *
     * <p>It costs nothing if no update arrives between the rounds. Otherwise the host runs the planner again from the start, with states
     * held for it, so the planner must tolerate a restart. On tables with atomic updates, later rounds may read only actors of the first
     * round, unless the query's mode is STRICT.
     */
    void useRepeatableReads();

    /**
     * Makes all retrieves and scatters on those of the given tables that have atomic updates read one snapshot, the same for all rounds and
     * tables: none of them sees a version committed later. Call it before the first retrieve. Tables of level EVENTUAL have no versions;
     * reads of them do not change.
     *
     * <p>For one table the snapshot is the version that the first read sees. For several tables the registry confirms it before the first
     * read, unless the query accepts any state. If a server no longer keeps a state of that snapshot, the host runs the planner again from
     * the start with a newer snapshot, so the planner must tolerate a restart. The default does nothing, for hosts without such tables.
     */
    default void useSnapshot(Set<TableName> tables) {}

    /**
     * Makes all retrieves of this plan use the replicas that all such queries of the same client use, while they are alive. For answers
     * that depend on the replica, as scores by its own statistics. If a replica fails or does not reply, another one answers. Call it
     * before the first retrieve. The default does nothing, for hosts with one replica.
     */
    default void useStickyReplicas() {}

    /**
     * Actors that the query covers, in ascending order: those that the caller selected, or all of the table. For a TIME table these are the
     * actors of its live chunks, possibly none.
     */
    default List<Integer> actors(TableName name) {
        if (table(name).partitioner() instanceof Partitioner.Time) {
            throw UniserveException.unsupported("a table partitioned by time on this host");
        }
        return IntStream.range(0, table(name).partitioner().actors()).boxed().toList();
    }

    /**
     * Actors that the query covers and whose chunks overlap an interval, in ascending order. A chunk may also have rows outside of the
     * interval.
     *
     * @param name name of a TIME table
     * @param from start, inclusive, in milliseconds since 1970
     * @param to end, exclusive
     * @throws io.uniserve.error.UniserveException INVALID_ARGUMENT for a table that is not partitioned by time
     */
    default List<Integer> actorsBetween(TableName name, long from, long to) {
        if (!(table(name).partitioner() instanceof Partitioner.Time time)) {
            throw UniserveException.invalid("table " + name + " is not partitioned by time: name no interval");
        }
        return actors(name).stream()
                .filter(actor -> time.overlaps(actor, from, to))
                .toList();
    }

    /** Actors that the query covers and that may have rows of a key, in ascending order: at most one, or for a TIME table one per chunk. */
    default List<Integer> actorsOf(TableName name, PartitionKey key) {
        List<Integer> covered = actors(name);
        if (table(name).partitioner() instanceof Partitioner.Time time) {
            int bucket = time.bucketOf(key);
            return covered.stream()
                    .filter(actor -> actor % time.buckets() == bucket)
                    .toList();
        }
        int actor = table(name).partitioner().actorOf(key);
        return covered.contains(actor) ? List.of(actor) : List.of();
    }

    /** Runs a retrieve on all actors that the query covers, with one request per server, and combines the values. */
    <P, V, R> R retrieve(TableName table, RetrieveCall<P, V> call, P parameters, Combiner<V, R> combiner);

    /** Runs a retrieve on some of the actors that the query covers. */
    <P, V, R> R retrieve(
            TableName table, Set<Integer> actors, RetrieveCall<P, V> call, P parameters, Combiner<V, R> combiner);

    /** One request of {@link #retrieveAll}: a table, some of its actors, and the parameters. */
    record RetrieveRequest<P>(TableName table, Set<Integer> actors, P parameters) {}

    /** Runs several retrieves of one operator, concurrently if the host can, and combines the values of each. */
    default <P, V, R> List<R> retrieveAll(
            RetrieveCall<P, V> call, List<RetrieveRequest<P>> all, Combiner<V, R> combiner) {
        return all.stream()
                .map(one -> one.actors().size() == actors(one.table()).size()
                        ? retrieve(one.table(), call, one.parameters(), combiner)
                        : retrieve(one.table(), one.actors(), call, one.parameters(), combiner))
                .toList();
    }

    /**
     * Returns whether {@link #retrieveColocated} is likely to find actors of all these tables together, as far as the host knows: the tables
     * still have these definitions, the same partitioner and eventual updates, and for each actor number some server is in sync with the
     * actors of all tables.
     */
    default boolean areColocated(TableMeta table, Collection<TableMeta> others) {
        return false;
    }

    /**
     * Runs a retrieve on some actors, each on a server that also holds the actors with the same number of other tables, if there is such a
     * server. The operator reads them by {@link io.uniserve.api.operator.OperatorContext#colocatedActor}.
     *
     * @param elsewhere the value that the operator returns if an actor of another table is missing. The first such value ends the read: the
     *     combiner may then lack values of other actors
     */
    default <P, V, R> R retrieveColocated(
            TableMeta table,
            Set<Integer> actors,
            Collection<TableMeta> others,
            V elsewhere,
            RetrieveCall<P, V> call,
            P parameters,
            Combiner<V, R> combiner) {
        return retrieve(table.name(), actors, call, parameters, combiner);
    }

    /**
     * Runs a retrieve with separate parameters per actor, with one request per server.
     *
     * @param call of an operator without a merger
     * @param parameters by actor; at least one, and only actors that the query covers
     * @return one value per actor
     */
    <P, V> Map<Integer, V> retrieveEach(
            TableName table, RetrieveCall<PerActorParameters<P>, V> call, Map<Integer, P> parameters);

    /**
     * Runs a plan of scatters, maps and a gather, and combines the values. Chunks travel directly between servers. If a chunk is lost
     * before its gather has read it, the host runs all stages again, a few times at most. It never mixes rows of two attempts and never
     * counts a chunk twice.
     *
     * <p>Scatters on tables with atomic updates read one snapshot, that of {@link #useSnapshot} if set, unless the query accepts any state.
     * So do the actors of maps and gathers, unless the plan works {@linkplain Shuffle#withChunksOnly on chunks alone}. Every other table is
     * read at an independent time.
     *
     * @throws io.uniserve.error.UniserveException UNSUPPORTED if this host has no exchange; EXCHANGE_LOST if all attempts lost chunks
     */
    default <P, V, R> Shuffle.Result<R> shuffle(Shuffle<P, V> plan, Combiner<V, R> combiner) {
        throw UniserveException.unsupported("a plan with a scatter on this host");
    }

    /** Returns whether {@link #shuffle} works for this query: not in a session, and not after {@link #useRepeatableReads}. */
    default boolean canShuffle() {
        return false;
    }

    /**
     * Cost of a plan's retrieves, for planners that explain their steps.
     *
     * @param bytes bytes of the actors' values as received
     * @param servers servers that received requests
     */
    record ReadStats(long bytes, Set<String> servers) {
        public static final ReadStats NONE = new ReadStats(0, Set.of());

        public ReadStats {
            servers = Collections.unmodifiableSet(new TreeSet<>(servers));
        }

        /** Returns the sum of both. */
        public ReadStats plus(ReadStats other) {
            Set<String> all = new TreeSet<>(servers);
            all.addAll(other.servers);
            return new ReadStats(bytes + other.bytes, all);
        }
    }

    /** Id of the server that runs the plan, for planners that explain their steps; empty if the host does not report it. */
    default Optional<String> localServer() {
        return Optional.empty();
    }

    /** Cost of the retrieves since the previous call; {@link ReadStats#NONE} if the host does not count. */
    default ReadStats takeReadStats() {
        return ReadStats.NONE;
    }

    /** The host's monotonic clock in nanoseconds. Values of two queries in this process can be compared. */
    long nanoTime();
}
