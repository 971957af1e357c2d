package io.uniserve.protocol.coordinator;

import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.ServerRecord;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.Vouched;
import io.uniserve.protocol.message.PeerRequest;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Replicas that their servers have reported as intact. A returned server may have damaged or missing files, so the coordinator removes
 * another copy only if the remaining one is reported as intact. A report is valid for one incarnation of the server, until the replica
 * reports lost data. Reports are requested when a decision first needs them. Soft state.
 */
final class IntactReplicas {
    private static final int KEYS_PER_REQUEST_MAX = 4_096;

    private final LeaderContext leader;
    private final TreeMap<ServerId, Book> books = new TreeMap<>();

    /** Reports of one server. */
    private static final class Book {
        private final long incarnation;
        private final TreeMap<ReplicaKey, Long> installed = new TreeMap<>();
        private final TreeSet<ReplicaKey> wanted = new TreeSet<>();
        private boolean asked;

        private Book(long incarnation) {
            this.incarnation = incarnation;
        }
    }

    IntactReplicas(LeaderContext leader) {
        this.leader = leader;
    }

    /** True when the server has reported its replica as intact. Otherwise a report will be requested. */
    boolean holds(ReplicaKey key, ActorState actor, ServerId server) {
        Book book = book(server);
        if (book == null) {
            return false;
        }
        Long installed = book.installed.get(key);
        if (installed != null && installed >= (actor.begun() ? Math.max(1, actor.restoreEpoch()) : 0)) {
            return true;
        }
        book.wanted.add(key);
        return false;
    }

    /** True when the server has an intact replica that was in sync before the pending takeover. Otherwise a report will be requested. */
    boolean wasInSync(ReplicaKey key, ActorState actor, ServerId server) {
        Book book = book(server);
        if (book == null) {
            return false;
        }
        Long installed = book.installed.get(key);
        if (installed != null && actor.former().counts(server, installed)) {
            return true;
        }
        book.wanted.add(key);
        return false;
    }

    private @Nullable Book book(ServerId server) {
        ServerRecord record = leader.members().find(server);
        if (record == null) {
            return null;
        }
        Book book = books.get(server);
        if (book == null || book.incarnation != record.incarnation()) {
            book = new Book(record.incarnation());
            books.put(server, book);
        }
        return book;
    }

    /** Removes the report of a replica whose data are lost. */
    void revoke(ReplicaKey key, ServerId server) {
        Book book = books.get(server);
        if (book != null) {
            book.installed.remove(key);
        }
    }

    /** Requests the reports that decisions were missing. */
    void ask() {
        books.keySet().removeIf(server -> leader.members().find(server) == null);
        for (ServerId server : List.copyOf(books.keySet())) {
            Book book = book(server);
            ServerRecord record = leader.members().find(server);
            if (book != null && record != null && !book.asked && !book.wanted.isEmpty()) {
                ask(book, record);
            }
        }
    }

    private void ask(Book book, ServerRecord record) {
        List<ReplicaKey> keys = book.wanted.stream().limit(KEYS_PER_REQUEST_MAX).toList();
        book.asked = true;
        book.wanted.clear();
        leader.env()
                .network()
                .call(
                        record.address(),
                        new PeerRequest.Vouch(keys),
                        leader.config().pingTimeoutNanos(),
                        leader.registry().scoped(outcome -> heard(book, outcome)));
    }

    private void heard(Book book, Outcome<PeerReply> outcome) {
        book.asked = false;
        boolean news = false;
        if (outcome instanceof Outcome.Ok<PeerReply> ok
                && ok.value() instanceof Vouched vouched
                && vouched.incarnation() == book.incarnation) {
            for (Vouched.Whole whole : vouched.replicas()) {
                news |= !Long.valueOf(whole.installed()).equals(book.installed.put(whole.key(), whole.installed()));
            }
        }
        if (news) {
            leader.wake();
        }
    }
}
