package io.uniserve.runtime.proto;

import io.uniserve.api.plan.Answer;
import io.uniserve.codec.Bytes;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.BackupName;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.access.LimitKind;
import io.uniserve.model.access.Revocation;
import io.uniserve.model.access.Role;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.RoleLimit;
import io.uniserve.model.access.TablePattern;
import io.uniserve.model.access.UserCredential;
import io.uniserve.model.registry.AccessRules;
import io.uniserve.model.registry.ChunkVersions;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.UserCredentials;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.VersionParticipants;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.StagedRowsRef;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Generator of random values of any record on the wire, by its components. A component that is added later without a mapping fails
 * the round trip, without a change of this class.
 */
final class RandomValues {
    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

    private final SplittableRandom random;

    RandomValues(long seed) {
        this.random = new SplittableRandom(seed);
    }

    <T> T next(Class<T> type) {
        return type.cast(value("", type, type));
    }

    private Object value(String name, Class<?> raw, Type type) {
        if (raw == int.class || raw == Integer.class) {
            return name.startsWith("actor") ? random.nextInt(4_096) : random.nextInt(1, 1_000);
        }
        if (raw == long.class || raw == Long.class) {
            return name.equals("remainingNanos")
                    ? random.nextLong(1, 30_000_000_000L)
                    : random.nextLong() >>> random.nextInt(1, 64);
        }
        if (raw == double.class || raw == Double.class) {
            return random.nextDouble() * 1_000;
        }
        if (raw == boolean.class) {
            return random.nextBoolean();
        }
        if (raw == String.class) {
            return name.equals("token")
                    ? String.format(Locale.ROOT, "%016x%016x", random.nextLong(), random.nextLong())
                    : text(0, 30);
        }
        if (raw == OptionalDouble.class) {
            return random.nextBoolean() ? OptionalDouble.empty() : OptionalDouble.of(random.nextDouble());
        }
        if (raw == Bytes.class) {
            byte[] bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            return Bytes.wrap(bytes);
        }
        if (raw.isEnum()) {
            Object[] constants = raw.getEnumConstants();
            return constants[random.nextInt(constants.length)];
        }
        if (type instanceof ParameterizedType generic) {
            return collection(name, raw, generic);
        }
        return object(raw);
    }

    private Object collection(String name, Class<?> raw, ParameterizedType type) {
        int size = random.nextInt(5);
        Type first = type.getActualTypeArguments()[0];
        if (raw == Optional.class) {
            return size == 0
                    ? Optional.empty()
                    : Optional.of(first == String.class ? text(1, 10) : element(name, first));
        }
        if (raw == Map.class) {
            Map<Object, Object> map = new TreeMap<>();
            for (int i = 0; i < size; i++) {
                map.put(element("", first), element("", type.getActualTypeArguments()[1]));
            }
            return map;
        }
        List<Object> list = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            list.add(element(name, first));
        }
        return raw == List.class ? list : new HashSet<>(list);
    }

    private Object element(String name, Type type) {
        Class<?> raw = type instanceof ParameterizedType generic ? (Class<?>) generic.getRawType() : (Class<?>) type;
        return value(name, raw, type);
    }

    private Object object(Class<?> type) {
        if (type == TableName.class) {
            return new TableName(text(1, 60));
        }
        if (type == BackupName.class) {
            return new BackupName(text(1, 60));
        }
        if (type == ServerId.class) {
            return new ServerId("server-" + random.nextInt(6));
        }
        if (type == Address.class) {
            return new Address("host" + random.nextInt(10), random.nextInt(1, 65_536));
        }
        if (type == Partitioner.Range.class) {
            return new Partitioner.Range(LongStream.generate(random::nextLong)
                    .limit(random.nextInt(20))
                    .sorted()
                    .distinct()
                    .boxed()
                    .toList());
        }
        if (type == ChunkCalendar.class) {
            return new ChunkCalendar(IsoPeriod.parse("chunk", random.nextBoolean() ? "P1M" : "PT6H"), ZoneOffset.UTC);
        }
        if (type == IsoPeriod.class) {
            return IsoPeriod.parse("period", "P" + random.nextInt(1, 100) + "DT" + random.nextInt(1, 24) + "H");
        }
        if (type == Partitioner.Time.class) {
            return record(type, Map.of("column", text(1, 10), "buckets", random.nextInt(1, 8)));
        }
        if (type == TableMap.class) {
            return tableMap();
        }
        if (type == ConsistentSnapshot.Table.class) {
            return snapshotTable();
        }
        if (type == Answer.class) {
            return record(type, Map.of("rows", Answer.ROWS_UNKNOWN)); // not sent
        }
        Object user = userValue(type);
        if (user != null) {
            return user;
        }
        if (type == ActorState.class) {
            return actorState(random.nextInt(4_096));
        }
        if (type == ChunkVersions.class) {
            return chunkVersions();
        }
        if (type == VersionParticipants.class) {
            return participants();
        }
        if (type == StagedRowsRef.class) {
            return new StagedRowsRef(random.nextInt(1, 1_000), "%064x".formatted(random.nextLong()));
        }
        if (type.isSealed()) {
            Class<?>[] leaves = type.getPermittedSubclasses();
            return object(leaves[random.nextInt(leaves.length)]);
        }
        return record(type, Map.of());
    }

    private Revocation revocation() {
        return new Revocation(random.nextBoolean() ? "server/s" + random.nextInt(9) : "sha256:" + "0a".repeat(32));
    }

    private RoleLimit roleLimit() {
        return new RoleLimit(
                random.nextBoolean() ? Role.WRITER : Role.ADMIN,
                LimitKind.values()[random.nextInt(LimitKind.values().length)],
                1 + random.nextInt(1_000));
    }

    /** A value of rules or users; null for another type. */
    private @Nullable Object userValue(Class<?> type) {
        if (type == RoleGrant.class) {
            return roleGrant();
        }
        if (type == Revocation.class) {
            return revocation();
        }
        if (type == RoleLimit.class) {
            return roleLimit();
        }
        if (type == AdminRequest.ChangeLimit.class) {
            RoleLimit limit = roleLimit();
            return new AdminRequest.ChangeLimit(limit.role(), limit.kind(), random.nextBoolean() ? 0 : limit.value());
        }
        if (type == AccessRules.class) {
            return new AccessRules(
                    IntStream.range(0, random.nextInt(20))
                            .mapToObj(i -> roleGrant())
                            .toList(),
                    IntStream.range(0, random.nextInt(5))
                            .mapToObj(i -> revocation())
                            .toList(),
                    random.nextBoolean() ? List.of() : List.of(roleLimit()));
        }
        if (type == AdminRequest.ListGrants.class) {
            return new AdminRequest.ListGrants(random.nextBoolean() ? "" : text(1, 10), random.nextBoolean());
        }
        if (type == UserCredential.class) {
            return userCredential(text(1, 30));
        }
        if (type == UserCredentials.class) {
            return new UserCredentials(
                    bytes(Limits.PASSWORD_KEY_BYTES),
                    IntStream.range(0, random.nextInt(20))
                            .mapToObj(i -> userCredential("user" + i))
                            .toList());
        }
        if (type == AdminRequest.RemoveUser.class) {
            return new AdminRequest.RemoveUser(text(1, 30));
        }
        if (type == AdminReply.UserInfo.class) {
            return new AdminReply.UserInfo(text(1, 30), iterations());
        }
        return null;
    }

    private UserCredential userCredential(String name) {
        return new UserCredential(
                name,
                bytes(Limits.PASSWORD_SALT_BYTES),
                iterations(),
                bytes(Limits.PASSWORD_KEY_BYTES),
                bytes(Limits.PASSWORD_KEY_BYTES));
    }

    private int iterations() {
        return random.nextInt(Limits.PASSWORD_ITERATIONS_MIN, Limits.PASSWORD_ITERATIONS_MAX + 1);
    }

    private Bytes bytes(int size) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        return Bytes.wrap(bytes);
    }

    private RoleGrant roleGrant() {
        Role role = Role.values()[random.nextInt(Role.values().length)];
        String name = text(1, 10) + (random.nextBoolean() ? "*" : "");
        return new RoleGrant(text(1, 10), role, role.isOfTables() ? new TablePattern(name) : TablePattern.ALL);
    }

    private ChunkVersions chunkVersions() {
        ChunkVersions versions = ChunkVersions.NONE;
        long version = 0;
        for (int left = random.nextInt(20); left > 0; left--) {
            version += random.nextLong(1, 1L << random.nextInt(1, 50));
            versions = versions.withCommit(version, random.nextInt(1 << random.nextInt(1, 31)), random.nextInt(10));
        }
        return versions;
    }

    private VersionParticipants participants() {
        List<Integer> actors = random.ints(random.nextLong(1, 20), 0, Integer.MAX_VALUE)
                .sorted()
                .distinct()
                .boxed()
                .toList();
        return random.nextBoolean()
                ? VersionParticipants.counted(random.nextInt(4_096))
                : VersionParticipants.named(actors, chunkVersions());
    }

    private TableMap tableMap() {
        List<ActorState> actors = new ArrayList<>();
        int count = random.nextInt(1, 20);
        for (int i = 0; i < count; i++) {
            actors.add(actorState(i));
        }
        return new TableMap(new TableName(text(1, 10)), random.nextLong(1_000), actors);
    }

    private ConsistentSnapshot.Table snapshotTable() {
        boolean chunks = random.nextBoolean();
        List<Integer> actors = new ArrayList<>();
        List<Long> epochs = new ArrayList<>();
        int count = random.nextInt(chunks ? 0 : 1, 20);
        for (int i = 0; i < count; i++) {
            actors.add(chunks ? 30_000_000 + 2 * i : i);
            epochs.add(random.nextLong(1_000));
        }
        return new ConsistentSnapshot.Table(
                new TableName(text(1, 10)),
                random.nextLong(1_000),
                random.nextLong(1_000),
                actors,
                epochs,
                chunks ? random.nextLong(1, 100) : 0);
    }

    private ActorState actorState(int actor) {
        ServerId primary = next(ServerId.class);
        ServerId other = next(ServerId.class);
        List<ServerId> isr = other.equals(primary) ? List.of(primary) : List.of(other, primary);
        int copies = random.nextInt(Limits.REPLICATION_FACTOR_MAX + 1);
        int automatic = random.nextInt(Limits.REPLICATION_FACTOR_MAX + 1);
        return (ActorState) record(
                ActorState.class,
                Map.of("actor", actor, "primary", primary, "isr", isr, "copies", copies, "automaticCopies", automatic));
    }

    private Object record(Class<?> type, Map<String, Object> fixed) {
        RecordComponent[] components = type.getRecordComponents();
        if (components == null) {
            throw new IllegalArgumentException("no values for " + type);
        }
        Object[] arguments = new Object[components.length];
        for (int i = 0; i < components.length; i++) {
            RecordComponent component = components[i];
            Object known = fixed.get(component.getName());
            boolean absent = component.getAnnotatedType().isAnnotationPresent(Nullable.class) && random.nextInt(3) == 0;
            arguments[i] = absent
                    ? null
                    : known != null
                            ? known
                            : value(component.getName(), component.getType(), component.getGenericType());
        }
        try {
            var constructor = type.getDeclaredConstructor(
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
            return constructor.newInstance(arguments);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException("cannot make " + type + " of " + Arrays.toString(arguments), e);
        }
    }

    private String text(int min, int max) {
        int length = random.nextInt(min, max + 1);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        }
        return text.toString();
    }
}
