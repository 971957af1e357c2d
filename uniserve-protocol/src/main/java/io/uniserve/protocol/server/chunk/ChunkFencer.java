package io.uniserve.protocol.server.chunk;

import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.Fencing;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Fencing of readers that may lack a new chunk (docs/protocol.md, section 6.6). A server with an older map of a TIME table may answer reads
 * until its lease ends, and these reads do not cover the chunk. So the primary of a new chunk acknowledges no row until each server that may
 * have such a lease has confirmed the map's generation, or until every lease from before this server's first read of that map has ended.
 *
 * <p>Which servers: those in the map, in sync, unfenced or before a takeover. A server whose last chunk has expired is in no later map. So
 * for one lease after a rise of {@code expiredBefore}, and after the first map, only time counts. Single-threaded.
 */
public final class ChunkFencer {
    private static final long CALL_NANOS = 300_000_000;
    private static final long PAUSE_NANOS_MIN = 10_000_000;
    private static final long PAUSE_NANOS_MAX = 200_000_000;

    private final Environment env;
    private final ServerId self;
    private final long fenceNanos;
    private final Function<ServerId, @Nullable Address> addresses;
    private final Consumer<ReplicaKey> onFenced;
    private final TreeMap<Long, Table> tables = new TreeMap<>();

    /**
     * @param fenceNanos time after which a lease that was granted before has ended
     * @param addresses address of a live server, null if unknown
     * @param onFenced called in a later turn of the loop for a replica here whose rows may be acknowledged from now on
     */
    public ChunkFencer(
            Environment env,
            ServerId self,
            long fenceNanos,
            Function<ServerId, @Nullable Address> addresses,
            Consumer<ReplicaKey> onFenced) {
        this.env = env;
        this.self = self;
        this.fenceNanos = fenceNanos;
        this.addresses = addresses;
        this.onFenced = onFenced;
    }

    /** Adopts a map. This server's gates must have its generation already. */
    public void onMap(TableMeta meta, TableMap map, long readAtNanos) {
        if (meta.partitioner() instanceof Partitioner.Time) {
            tables.computeIfAbsent(map.tableId(), id -> new Table(meta.name(), map, readAtNanos))
                    .assign(map, readAtNanos);
        }
    }

    /** Forgets a table that is gone. */
    public void onTableGone(long tableId) {
        Table table = tables.remove(tableId);
        if (table != null) {
            table.open.clear();
        }
    }

    /** Returns whether no server may answer a read that lacks the actor's chunk. True for actors of tables without chunks. */
    public boolean isFenced(ReplicaKey key) {
        Table table = tables.get(key.tableId());
        return table == null || !table.open.containsKey(key.actor());
    }

    private static TreeSet<ServerId> readers(TableMap map) {
        TreeSet<ServerId> servers = new TreeSet<>();
        for (ActorState actor : map.actors()) {
            servers.addAll(actor.isr());
            servers.addAll(actor.previousIsr().isr());
            actor.fencing().stream().map(Fencing::server).forEach(servers::add);
        }
        return servers;
    }

    /** Fencing of one table. */
    private final class Table {
        private final TableName name;
        /** Actors with a replica here that are not fenced, with the generation that has to be fenced. */
        private final TreeMap<Integer, Long> open = new TreeMap<>();
        /** Times of the first reads of generations that are not fenced. */
        private final TreeMap<Long, Long> readTimes = new TreeMap<>();

        private final TreeMap<ServerId, Long> confirmed = new TreeMap<>();
        private final TreeSet<ServerId> asked = new TreeSet<>();
        private TableMap map;
        private TreeSet<Integer> hosted = new TreeSet<>();
        /** Before this time a server that is in no map any more may have a lease. */
        private long unknownReadersUntil;

        private long pauseNanos = PAUSE_NANOS_MIN;
        private Timers.Cancel retry = () -> {};
        private Timers.Cancel end = () -> {};

        private Table(TableName name, TableMap first, long readAtNanos) {
            this.name = name;
            this.map = first;
            this.unknownReadersUntil = first.expiredBefore() > 0 ? readAtNanos + fenceNanos : readAtNanos;
        }

        private void assign(TableMap next, long readAtNanos) {
            if (next.expiredBefore() > map.expiredBefore()) {
                unknownReadersUntil = readAtNanos + fenceNanos;
            }
            map = next;
            readTimes.putIfAbsent(next.generation(), readAtNanos);
            TreeSet<Integer> here = new TreeSet<>();
            for (ActorState actor : next.actors()) {
                if (actor.hasReplicaOn(self)) {
                    here.add(actor.actor());
                    if (!hosted.contains(actor.actor())) {
                        open.putIfAbsent(actor.actor(), next.generation());
                    }
                }
            }
            open.keySet().retainAll(here);
            hosted = here;
            pauseNanos = PAUSE_NANOS_MIN;
            advance();
        }

        private void advance() {
            long now = env.clock().nanos();
            long fenced = fencedGeneration(now);
            List<Integer> settled = open.entrySet().stream()
                    .filter(entry -> entry.getValue() <= fenced)
                    .map(entry -> entry.getKey())
                    .toList();
            settled.forEach(open::remove);
            readTimes.headMap(Math.min(fenced, map.generation()), false).clear();
            settled.forEach(actor -> env.timers().post(() -> onFenced.accept(new ReplicaKey(map.tableId(), actor))));
            retry.cancel();
            end.cancel();
            if (!open.isEmpty()) {
                end = env.timers().after(Math.max(1, nextFence(now)), this::advance);
                ask();
            }
        }

        /** The newest generation that every reader has, or that is older than every lease. */
        private long fencedGeneration(long now) {
            long fenced = -1;
            for (var read : readTimes.entrySet()) {
                if (now - read.getValue() - fenceNanos >= 0) {
                    fenced = Math.max(fenced, read.getKey());
                }
            }
            if (now - unknownReadersUntil >= 0) {
                long least = map.generation();
                for (ServerId reader : readers(map)) {
                    least = Math.min(least, reader.equals(self) ? least : confirmed.getOrDefault(reader, -1L));
                }
                fenced = Math.max(fenced, least);
            }
            return fenced;
        }

        /** Time until the next fence by time alone, or until readers in no map any more have no lease. */
        private long nextFence(long now) {
            long next = fenceNanos;
            for (long readAt : readTimes.values()) {
                long left = readAt + fenceNanos - now;
                next = left > 0 ? Math.min(next, left) : next;
            }
            long unknown = unknownReadersUntil - now;
            return unknown > 0 ? Math.min(next, unknown) : next;
        }

        /** Asks the readers that have not confirmed the map's generation, while a primary of an open actor is here. */
        private void ask() {
            boolean primaryHere = open.keySet().stream()
                    .map(map::find)
                    .anyMatch(actor -> actor != null && actor.primary().equals(self));
            if (!primaryHere) {
                return;
            }
            long wanted = map.generation();
            boolean missing = false;
            for (ServerId reader : readers(map)) {
                boolean known = reader.equals(self) || confirmed.getOrDefault(reader, -1L) >= wanted;
                Address address = known ? null : addresses.apply(reader);
                missing |= !known;
                if (address != null && asked.add(reader)) {
                    PeerRequest request = new PeerRequest.ConfirmChunks(name, map.tableId(), wanted);
                    env.network().call(address, request, CALL_NANOS, outcome -> onReply(reader, wanted, outcome));
                }
            }
            if (missing) {
                retry = env.timers().after(pauseNanos, this::advance);
                pauseNanos = Math.min(PAUSE_NANOS_MAX, 2 * pauseNanos);
            }
        }

        private void onReply(ServerId reader, long generation, Outcome<PeerReply> outcome) {
            asked.remove(reader);
            if (outcome instanceof Outcome.Ok<PeerReply>) {
                confirmed.merge(reader, generation, Math::max);
                if (!open.isEmpty()) {
                    advance();
                }
            }
        }
    }
}
