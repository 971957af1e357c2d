package io.uniserve.model.registry;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Routing map of one table. The version of its znode orders its states.
 *
 * <p>The actors of a HASH or RANGE table have the numbers 0 to n - 1, and never change. A TIME table has actors for the chunks that have
 * rows: their numbers are sparse, are added with new chunks and are removed when a chunk expires.
 *
 * @param actors rows of the actors, by ascending number
 * @param expiredBefore ordinal of the first chunk of a TIME table that is not expired. It never falls, so an expired chunk is never made
 *     again. 0 for other tables
 * @param generation number of times that chunks were added to a TIME table: a map of a lower generation may lack chunks. 0 for other tables
 */
public record TableMap(TableName name, long tableId, List<ActorState> actors, int expiredBefore, long generation)
        implements RegistryValue {
    public TableMap {
        actors = List.copyOf(actors);
        if (expiredBefore < 0) {
            throw UniserveException.invalid("expiredBefore is " + expiredBefore + ": it must not be negative");
        }
        if (generation < 0) {
            throw UniserveException.invalid("generation is " + generation + ": it must not be negative");
        }
        for (int i = 1; i < actors.size(); i++) {
            if (actors.get(i).actor() <= actors.get(i - 1).actor()) {
                throw UniserveException.invalid("actor " + actors.get(i).actor() + " follows actor "
                        + actors.get(i - 1).actor() + " in the map of table " + name + ": numbers must ascend");
            }
        }
    }

    /** Map without expired chunks. */
    public TableMap(TableName name, long tableId, List<ActorState> actors) {
        this(name, tableId, actors, 0, 0);
    }

    /** The same with other actors. */
    public TableMap withActors(List<ActorState> others) {
        return new TableMap(name, tableId, others, expiredBefore, generation);
    }

    /** The same with the actors of new chunks too, in the next generation. */
    public TableMap withChunks(List<ActorState> added) {
        List<ActorState> all = new ArrayList<>(actors);
        all.addAll(added);
        all.sort(Comparator.comparingInt(ActorState::actor));
        return new TableMap(name, tableId, all, expiredBefore, generation + 1);
    }

    /** The same without the chunks before an ordinal, which are expired from now on. */
    public TableMap withoutChunksBefore(Partitioner.Time time, int ordinal) {
        List<ActorState> live = actors.stream()
                .filter(actor -> time.ordinalOf(actor.actor()) >= ordinal)
                .toList();
        return new TableMap(name, tableId, live, Math.max(expiredBefore, ordinal), generation);
    }

    /** The same with one actor's row replaced; no change if the map lacks the actor. */
    public TableMap withActor(int actor, UnaryOperator<ActorState> change) {
        int at = indexOf(actor);
        if (at < 0) {
            return this;
        }
        List<ActorState> next = new ArrayList<>(actors);
        next.set(at, change.apply(next.get(at)));
        return withActors(next);
    }

    /** Index of an actor in the list; negative if the map lacks it. */
    public int indexOf(int actor) {
        if (actor >= 0 && actor < actors.size() && actors.get(actor).actor() == actor) {
            return actor;
        }
        int low = 0;
        int high = actors.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int number = actors.get(middle).actor();
            if (number == actor) {
                return middle;
            }
            if (number < actor) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1 - low;
    }

    /** Row of an actor; null if the map lacks it. */
    public @Nullable ActorState find(int actor) {
        int at = indexOf(actor);
        return at < 0 ? null : actors.get(at);
    }

    /** Returns whether the map has the actor. */
    public boolean has(int actor) {
        return indexOf(actor) >= 0;
    }

    /**
     * Row of an actor.
     *
     * @throws UniserveException STALE_EPOCH if the map lacks it: its chunk is expired, or this map is too old for it
     */
    public ActorState get(int actor) {
        ActorState found = find(actor);
        if (found == null) {
            throw new UniserveException(
                    ErrorCode.STALE_EPOCH,
                    "this map of table " + name + " has no actor " + actor + ": read the map again");
        }
        return found;
    }

    /** Numbers of all actors, ascending. */
    public List<Integer> numbers() {
        return actors.stream().map(ActorState::actor).toList();
    }

    /** Text for messages: the numbers of the actors. */
    public String describeNumbers() {
        if (actors.isEmpty()) {
            return "no actors";
        }
        int first = actors.get(0).actor();
        int last = actors.get(actors.size() - 1).actor();
        return last - first == actors.size() - 1
                ? "actors " + first + " to " + last
                : actors.size() + " actors between " + first + " and " + last;
    }

    /** Returns whether an actor's chunk is expired. Such an actor never comes back. */
    public boolean isExpired(Partitioner partitioner, int actor) {
        return partitioner instanceof Partitioner.Time time && time.ordinalOf(actor) < expiredBefore;
    }

    /** The live actors of a TIME table whose chunks overlap the times from {@code from}, inclusive, to {@code to}, exclusive. */
    public List<Integer> numbersBetween(Partitioner.Time time, long from, long to) {
        return numbers().stream()
                .filter(actor -> time.overlaps(actor, from, to))
                .toList();
    }
}
