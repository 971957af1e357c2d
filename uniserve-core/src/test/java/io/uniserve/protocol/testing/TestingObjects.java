package io.uniserve.protocol.testing;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.ObjectStore;
import io.uniserve.protocol.env.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Durable storage in memory. */
public final class TestingObjects implements ObjectStore {
    private final TestingLoop loop;
    private final TreeMap<String, Bytes> objects = new TreeMap<>();
    private boolean down;
    private String refused = "";
    private ErrorCode refusal = ErrorCode.UNAVAILABLE;
    private String held = "";
    private final List<Runnable> waiting = new ArrayList<>();
    private int puts;
    /** Happens once, before the next object that is read. */
    private Runnable meanwhile = () -> {};

    public TestingObjects(TestingLoop loop) {
        this.loop = loop;
    }

    /** From now on everything fails, or again works. */
    public void down(boolean value) {
        down = value;
    }

    /** From now on no object under this prefix can be put; empty for none. */
    public void refuse(String prefix) {
        refuse(prefix, ErrorCode.UNAVAILABLE);
    }

    /** The same with this code. */
    public void refuse(String prefix, ErrorCode code) {
        refused = prefix;
        refusal = code;
    }

    /** Objects under this prefix stay on their way until {@link #release}. */
    public void hold(String prefix) {
        held = prefix;
    }

    /** Objects on their way, and later ones, arrive. */
    public void release() {
        held = "";
        List<Runnable> all = List.copyOf(waiting);
        waiting.clear();
        all.forEach(Runnable::run);
    }

    /** How many objects are on their way for as long as they are held. */
    public int holding() {
        return waiting.size();
    }

    /** The object as text. */
    public String text(String key) {
        Bytes data = objects.get(key);
        return data == null ? "" : data.utf8();
    }

    public List<String> keys(String prefix) {
        return objects.keySet().stream().filter(key -> key.startsWith(prefix)).toList();
    }

    /** Turns one bit over, past what the store itself would notice. */
    public void flip(String key) {
        byte[] bytes = bytes(key);
        bytes[bytes.length / 2] ^= 1;
        objects.put(key, Bytes.wrap(bytes));
    }

    /** Cuts the object's end off, past what the store itself would notice. */
    public void truncate(String key) {
        Bytes whole = Bytes.wrap(bytes(key));
        objects.put(key, whole.slice(0, whole.size() - 1));
    }

    /** Takes over what another one holds, as a cluster does that begins on the storage of a lost one. */
    public void adopt(TestingObjects other) {
        objects.putAll(other.objects);
    }

    /** This happens before the next object is read. */
    public void meanwhile(Runnable change) {
        meanwhile = change;
    }

    /** The object has another name from now on. */
    public void rename(String from, String to) {
        objects.put(to, Bytes.wrap(bytes(from)));
        objects.remove(from);
    }

    /** The object has these bytes from now on, as when another process replaced it. */
    public void set(String key, String text) {
        objects.put(key, Bytes.utf8(text));
    }

    /** Nothing is left. */
    public void clear() {
        objects.clear();
    }

    public void remove(String key) {
        objects.remove(key);
    }

    private byte[] bytes(String key) {
        Bytes found = objects.get(key);
        if (found == null) {
            throw new IllegalArgumentException("no object " + key);
        }
        return found.toArray();
    }

    public int puts() {
        return puts;
    }

    private static <T> Outcome<T> error(ErrorCode code, String what) {
        return Outcome.err(new UniserveException(code, what));
    }

    @Override
    public void put(String key, Bytes data, Completion<Done> completion) {
        if (!held.isEmpty() && key.startsWith(held)) {
            waiting.add(() -> put(key, data, completion));
            return;
        }
        loop.after(100_000, () -> {
            puts++;
            if (down || !refused.isEmpty() && key.startsWith(refused)) {
                completion.done(error(down ? ErrorCode.UNAVAILABLE : refusal, "down"));
                return;
            }
            Bytes before = objects.putIfAbsent(key, data);
            completion.done(
                    before == null || before.equals(data)
                            ? Outcome.ok(Done.DONE)
                            : error(ErrorCode.INVALID_ARGUMENT, key));
        });
    }

    @Override
    public void get(String key, Completion<Bytes> completion) {
        loop.after(100_000, () -> {
            Runnable now = meanwhile;
            meanwhile = () -> {};
            now.run();
            Bytes data = objects.get(key);
            completion.done(data == null || down ? error(ErrorCode.IO, key) : Outcome.ok(data));
        });
    }

    @Override
    public void list(String prefix, Completion<List<String>> completion) {
        loop.after(
                100_000, () -> completion.done(down ? error(ErrorCode.UNAVAILABLE, "down") : Outcome.ok(keys(prefix))));
    }

    @Override
    public void delete(String key, Completion<Done> completion) {
        loop.after(100_000, () -> {
            if (down) {
                completion.done(error(ErrorCode.UNAVAILABLE, "down"));
                return;
            }
            objects.remove(key);
            completion.done(Outcome.ok(Done.DONE));
        });
    }
}
