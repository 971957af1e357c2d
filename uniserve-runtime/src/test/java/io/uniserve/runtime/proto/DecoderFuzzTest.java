package io.uniserve.runtime.proto;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.sun.management.ThreadMXBean;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.access.CertificateStatus;
import io.uniserve.model.registry.RegistryValue;
import io.uniserve.runtime.proto.RoundTripTest.Family;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.transport.certificate.CertificateMapping;
import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Mutated messages, from seeds that count up, at the decoder of each message: each is decoded or rejected with the code for malformed input, and
 * memory is bounded by its size. Each decoder gets 20 seconds, with {@code -Pfull} 10 minutes; a failure names the seed.
 */
class DecoderFuzzTest {
    private static final long NANOS =
            Boolean.getBoolean("uniserve.test.full") ? TimeUnit.MINUTES.toNanos(10) : TimeUnit.SECONDS.toNanos(20);
    private static final int THREADS = 2;
    private static final int MUTATIONS_PER_SAMPLE = 40;
    private static final long ALLOCATED_BYTES_MAX = 2 << 20;
    private static final long ALLOCATED_PER_BYTE_MAX = 1_000;
    private static final Set<ErrorCode> REJECTED = Set.of(ErrorCode.INVALID_ARGUMENT);
    private static final Set<ErrorCode> REJECTED_NODES = Set.of(ErrorCode.CORRUPT, ErrorCode.UNSUPPORTED);
    private static final ThreadMXBean MEMORY = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** A decoder with its samples. */
    private interface Target {
        /** An encoded message. */
        byte[] sample(long seed);

        void decode(byte[] bytes) throws InvalidProtocolBufferException;

        Set<ErrorCode> rejections();
    }

    private record Decoder<M, P extends Message>(Family<M, P> family) implements Target {
        @Override
        public byte[] sample(long seed) {
            List<Class<? extends M>> leaves = RoundTripTest.leaves(family.type());
            M value = new RandomValues(seed / leaves.size() % RoundTripTest.SEEDS)
                    .next(leaves.get((int) (seed % leaves.size())));
            return family.out().apply(value).toByteArray();
        }

        @Override
        public void decode(byte[] bytes) throws InvalidProtocolBufferException {
            M unused = family.in().apply(family.parser().parseFrom(bytes));
        }

        @Override
        public Set<ErrorCode> rejections() {
            return REJECTED;
        }
    }

    private static final class Nodes implements Target {
        @Override
        public byte[] sample(long seed) {
            List<Class<? extends RegistryValue>> leaves = RoundTripTest.registryValues();
            return RegistryCodec.encode(new RandomValues(seed / leaves.size() % RoundTripTest.SEEDS)
                    .next(leaves.get((int) (seed % leaves.size()))));
        }

        @Override
        public void decode(byte[] bytes) {
            RegistryValue unused = RegistryCodec.decode("/x", bytes);
        }

        @Override
        public Set<ErrorCode> rejections() {
            return REJECTED_NODES;
        }
    }

    private static Map<String, Target> targets() {
        Map<String, Target> targets = new TreeMap<>();
        RoundTripTest.families().forEach(family -> targets.put(family.name(), new Decoder<>(family)));
        Family<CertificateStatus, CertificatesProto.CertificateStatus> certificate = new Family<>(
                "certificate",
                CertificateStatus.class,
                CertificateMapping::toProto,
                CertificatesProto.CertificateStatus.parser(),
                CertificateMapping::fromProto);
        targets.put(certificate.name(), new Decoder<>(certificate));
        targets.put("registry node", new Nodes());
        return targets;
    }

    @Test
    void everyDecoderRejectsOrDecodes() throws InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            Map<String, CompletableFuture<Long>> runs = new TreeMap<>();
            targets()
                    .forEach((name, target) ->
                            runs.put(name, CompletableFuture.supplyAsync(() -> fuzz(name, target), threads)));
            runs.forEach((name, run) -> assertThat(run.join()).as(name).isPositive());
        } finally {
            threads.shutdownNow();
        }
    }

    /** Returns the number of mutated messages that got past the parser. */
    private static long fuzz(String name, Target target) {
        long decoded = 0;
        long end = SystemClock.INSTANCE.nanos() + NANOS;
        for (long seed = 0; SystemClock.INSTANCE.nanos() < end; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] sample = target.sample(seed);
            byte[] other = target.sample(seed + 1);
            for (int mutation = 0; mutation < MUTATIONS_PER_SAMPLE; mutation++) {
                decoded += decode(name, seed, target, mutate(random, sample, other)) ? 1 : 0;
            }
        }
        return decoded;
    }

    private static boolean decode(String name, long seed, Target target, byte[] bytes) {
        long before = MEMORY.getCurrentThreadAllocatedBytes();
        boolean parsed = true;
        try {
            target.decode(bytes);
        } catch (InvalidProtocolBufferException e) {
            parsed = false; // the parser has rejected it
        } catch (UniserveException e) {
            assertThat(target.rejections()).as("%s, seed %d: %s", name, seed, e).contains(e.code());
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            throw new AssertionError(name + ", seed " + seed, e);
        }
        assertThat(MEMORY.getCurrentThreadAllocatedBytes() - before)
                .as("%s, seed %d: bytes allocated for a message of %d bytes", name, seed, bytes.length)
                .isLessThan(ALLOCATED_BYTES_MAX + ALLOCATED_PER_BYTE_MAX * bytes.length);
        return parsed;
    }

    /** One to four changes: flipped bits, bytes of extreme numbers, cut ends, parts that are doubled, removed or of another message. */
    private static byte[] mutate(SplittableRandom random, byte[] sample, byte[] other) {
        byte[] bytes = sample.clone();
        for (int change = random.nextInt(1, 5); change > 0 && bytes.length > 0; change--) {
            int from = random.nextInt(bytes.length);
            int to = random.nextInt(from, Math.min(bytes.length, from + 64) + 1);
            bytes = switch (random.nextInt(7)) {
                case 0 -> flipped(bytes, from, random.nextInt(8));
                case 1 -> replaced(bytes, from, from, extreme(random));
                case 2 -> replaced(bytes, from, Math.min(bytes.length, from + 1), extreme(random));
                case 3 -> replaced(bytes, from, bytes.length, new byte[0]);
                case 4 -> replaced(bytes, from, from, part(bytes, from, to));
                case 5 -> replaced(bytes, from, to, new byte[0]);
                default -> replaced(bytes, from, to, part(other, random));
            };
        }
        return bytes;
    }

    private static byte[] flipped(byte[] bytes, int at, int bit) {
        byte[] changed = bytes.clone();
        changed[at] = (byte) (changed[at] ^ 1 << bit);
        return changed;
    }

    /** A number as a varint that is 0, the largest of 5 or 10 bytes, longer than permitted, or just a large length. */
    private static byte[] extreme(SplittableRandom random) {
        int bytes = new int[] {1, 5, 10, 11, 4}[random.nextInt(5)];
        ByteArrayOutputStream number = new ByteArrayOutputStream();
        for (int i = 1; i < bytes; i++) {
            number.write(0xff);
        }
        number.write(bytes == 1 ? 0 : 0x7f);
        return number.toByteArray();
    }

    private static byte[] part(byte[] bytes, SplittableRandom random) {
        int from = random.nextInt(bytes.length + 1);
        return part(bytes, from, random.nextInt(from, Math.min(bytes.length, from + 64) + 1));
    }

    private static byte[] part(byte[] bytes, int from, int to) {
        return Arrays.copyOfRange(bytes, from, to);
    }

    private static byte[] replaced(byte[] bytes, int from, int to, byte[] with) {
        byte[] changed = new byte[bytes.length - (to - from) + with.length];
        System.arraycopy(bytes, 0, changed, 0, from);
        System.arraycopy(with, 0, changed, from, with.length);
        System.arraycopy(bytes, to, changed, from + with.length, bytes.length - to);
        return changed;
    }
}
