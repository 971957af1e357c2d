package io.uniserve.protocol.replica;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.RequestId;
import io.uniserve.protocol.message.LogEntry;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * Which requests the log holds: a pure function of the applied entries, saved with every checkpoint. Bounded: a client's
 * outcomes below its own low-water mark are forgotten, then its oldest, then the client that has been silent longest.
 */
final class RequestTable {
    private final LinkedHashMap<Client, Outcomes> clients = new LinkedHashMap<>();
    private final int clientsMax;
    private final int requestsMax;
    private VersionState versionState = new VersionState();
    private boolean forgotClients;

    RequestTable() {
        this(Limits.REQUEST_CLIENTS_PER_ACTOR_MAX, Limits.REQUESTS_PER_CLIENT_MAX);
    }

    RequestTable(int clientsMax, int requestsMax) {
        this.clientsMax = clientsMax;
        this.requestsMax = requestsMax;
    }

    /** What is known of a request. */
    sealed interface Answer {
        /** The log holds it here, with this content; {@code refusal} says why it was refused, empty where it was applied. */
        record Recorded(long epoch, long index, long hash, String refusal) implements Answer {}

        /** The log does not hold it. */
        record Unknown() implements Answer {}

        /** It may have been there: forgotten. */
        record Expired() implements Answer {}
    }

    private record Client(long high, long low) {}

    private static final class Outcomes {
        private final TreeMap<Long, Answer.Recorded> bySequence = new TreeMap<>();
        private long floor = Long.MIN_VALUE;
    }

    /** Looks a request up; {@code attempt} above 1 says that the client has sent it before. */
    Answer find(RequestId request, int attempt) {
        Outcomes outcomes = clients.get(new Client(request.clientHigh(), request.clientLow()));
        if (outcomes == null) {
            return attempt > 1 && forgotClients ? new Answer.Expired() : new Answer.Unknown();
        }
        Answer.Recorded recorded = outcomes.bySequence.get(request.sequence());
        if (recorded != null) {
            return recorded;
        }
        return request.sequence() < outcomes.floor ? new Answer.Expired() : new Answer.Unknown();
    }

    /** What the applied entries say about versions of atomic updates. */
    VersionState versions() {
        return versionState;
    }

    /** Takes an applied entry in. */
    void record(LogEntry entry) {
        versionState.record(entry);
        RequestId request = entry.request();
        if (request == null) {
            return;
        }
        Client client = new Client(request.clientHigh(), request.clientLow());
        Outcomes known = clients.remove(client);
        Outcomes outcomes = known == null ? new Outcomes() : known;
        clients.put(client, outcomes);
        Rejection outcome = entry.type() == LogEntry.Type.REFUSED
                ? Rejection.decode(entry.rows())
                : new Rejection(contentHash(entry.function(), entry.rows()), "");
        outcomes.bySequence.put(
                request.sequence(),
                new Answer.Recorded(entry.epoch(), entry.index(), outcome.hash(), outcome.reason()));
        outcomes.floor = Math.max(outcomes.floor, entry.lowWater());
        outcomes.bySequence.headMap(outcomes.floor).clear();
        while (outcomes.bySequence.size() > requestsMax) {
            outcomes.floor = Math.max(
                    outcomes.floor, outcomes.bySequence.pollFirstEntry().getKey() + 1);
        }
        if (clients.size() > clientsMax) {
            Iterator<Client> oldest = clients.keySet().iterator();
            oldest.next();
            oldest.remove();
            forgotClients = true;
        }
    }

    /** 64 bits that tell one content from another. */
    static long contentHash(String function, Bytes rows) {
        Bytes name = Bytes.utf8(function);
        CRC32C first = new CRC32C();
        first.update(name.buffer());
        first.update(rows.buffer());
        CRC32 second = new CRC32();
        second.update(rows.buffer());
        second.update(name.buffer());
        return first.getValue() << 32 | second.getValue();
    }

    void write(BinaryWriter out) {
        out.writeBoolean(forgotClients).writeInt(clients.size());
        for (Map.Entry<Client, Outcomes> client : clients.entrySet()) {
            out.writeLong(client.getKey().high()).writeLong(client.getKey().low());
            out.writeLong(client.getValue().floor)
                    .writeInt(client.getValue().bySequence.size());
            client.getValue()
                    .bySequence
                    .forEach((sequence, at) -> out.writeLong(sequence)
                            .writeLong(at.epoch())
                            .writeLong(at.index())
                            .writeLong(at.hash()));
        }
        writeRefusals(out);
    }

    /** At the end, and only where there are any: so tables written before there were refusals, or versions, can be read. */
    private void writeRefusals(BinaryWriter out) {
        int count = 0;
        BinaryWriter refusals = new BinaryWriter();
        for (Map.Entry<Client, Outcomes> client : clients.entrySet()) {
            for (Map.Entry<Long, Answer.Recorded> request :
                    client.getValue().bySequence.entrySet()) {
                if (!request.getValue().refusal().isEmpty()) {
                    count++;
                    refusals.writeLong(client.getKey().high())
                            .writeLong(client.getKey().low());
                    refusals.writeLong(request.getKey())
                            .writeString(request.getValue().refusal());
                }
            }
        }
        if (count > 0 || !versionState.isEmpty()) {
            out.writeInt(count).writeBytes(refusals.toBytes());
        }
        if (!versionState.isEmpty()) {
            versionState.write(out);
        }
    }

    private void readRefusals(BinaryReader in) {
        int count = in.readInt();
        BinaryReader refusals = new BinaryReader(in.readBytes());
        for (int left = count; left > 0; left--) {
            Outcomes outcomes = clients.get(new Client(refusals.readLong(), refusals.readLong()));
            long sequence = refusals.readLong();
            String reason = refusals.readString();
            Answer.Recorded recorded = outcomes == null ? null : outcomes.bySequence.get(sequence);
            if (outcomes == null || recorded == null) {
                throw new UniserveException(ErrorCode.CORRUPT, "a refusal of a request that is not in the table");
            }
            outcomes.bySequence.put(
                    sequence, new Answer.Recorded(recorded.epoch(), recorded.index(), recorded.hash(), reason));
        }
        refusals.expectEnd();
    }

    static RequestTable read(BinaryReader in) {
        RequestTable table = new RequestTable();
        table.forgotClients = in.readBoolean();
        for (int left = in.readCount(28); left > 0; left--) {
            Client client = new Client(in.readLong(), in.readLong());
            Outcomes outcomes = new Outcomes();
            outcomes.floor = in.readLong();
            for (int more = in.readCount(32); more > 0; more--) {
                outcomes.bySequence.put(
                        in.readLong(), new Answer.Recorded(in.readLong(), in.readLong(), in.readLong(), ""));
            }
            table.clients.put(client, outcomes);
        }
        if (in.remaining() > 0) {
            table.readRefusals(in);
        }
        if (in.remaining() > 0) {
            table.versionState = VersionState.read(in);
        }
        return table;
    }
}
