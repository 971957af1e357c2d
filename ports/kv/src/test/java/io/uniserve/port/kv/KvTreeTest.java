package io.uniserve.port.kv;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.Document;
import io.uniserve.api.update.UpdateContext;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class KvTreeTest {
    /** Texts that an order other than that of UTF-8 bytes would place elsewhere. */
    private static final List<String> STARTS = List.of(
            "", "\u0001", "e\u0301", "\u00e9", "\ud7ff", "\ue000", "\ufb01", "\uffff", "\ud800\udc00", "\ud83d\ude00");

    private static final Comparator<String> BYTES = (one, other) ->
            Arrays.compareUnsigned(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));

    private static String key(int number) {
        return STARTS.get(number % STARTS.size()) + "k" + number / STARTS.size();
    }

    private static Document document(String key, long value) {
        return new Document("id", Map.of("id", key, "v", value));
    }

    private static List<Document> from(KvTree tree, String key) {
        List<Document> all = new ArrayList<>();
        Iterator<Document> documents = tree.from(key);
        while (documents.hasNext()) {
            all.add(documents.next());
        }
        return all;
    }

    /** Random puts and removals have the result of a sorted map, and leave every earlier version unchanged. */
    @Test
    void versionsAreThoseOfASortedMap() {
        Random random = new Random(7);
        KvTree tree = KvTree.EMPTY;
        TreeMap<String, Document> model = new TreeMap<>(BYTES);
        List<KvTree> versions = new ArrayList<>();
        List<List<Document>> contents = new ArrayList<>();
        for (int version = 0; version < 300; version++) {
            KvTree.Editor editor = tree.edit();
            boolean shrink = version % 100 > 70;
            for (int i = 0; i < random.nextInt(60); i++) {
                String key = key(random.nextInt(3_000));
                if (random.nextInt(10) < (shrink ? 9 : 2)) {
                    key = model.ceilingKey(key) == null ? key : model.ceilingKey(key);
                    editor.remove(key, 1);
                    model.remove(key);
                } else {
                    Document document = document(key, random.nextInt());
                    boolean there = model.put(key, document) != null;
                    editor.put(key, document, there ? 0 : 1);
                }
                assertThat(editor.get(key)).isSameAs(model.get(key));
            }
            tree = editor.tree();
            assertThat(tree.size()).isEqualTo(model.size());
            assertThat(tree.bytes()).isEqualTo(model.size());
            assertThat(from(tree, "")).containsExactlyElementsOf(model.values());
            String some = key(random.nextInt(3_000));
            assertThat(from(tree, some))
                    .containsExactlyElementsOf(model.tailMap(some).values());
            assertThat(tree.get(some)).isSameAs(model.get(some));
            versions.add(tree);
            contents.add(List.copyOf(model.values()));
        }
        for (int version = 0; version < versions.size(); version++) {
            assertThat(from(versions.get(version), "")).isEqualTo(contents.get(version));
        }
    }

    /** Returns the first keys of both actors. */
    @Test
    void scansAreMergedByCodePoint() {
        List<Document> sorted = IntStream.range(0, 60)
                .mapToObj(KvTreeTest::key)
                .sorted(BYTES)
                .map(key -> document(key, 0))
                .toList();
        List<Document> left = IntStream.range(0, 60)
                .filter(i -> i % 3 == 0)
                .mapToObj(sorted::get)
                .toList();
        List<Document> right = IntStream.range(0, 60)
                .filter(i -> i % 3 > 0)
                .mapToObj(sorted::get)
                .toList();
        for (int limit = 1; limit <= 60; limit++) {
            assertThat(KvOperators.mergeByKey(limit, left, right)).isEqualTo(sorted.subList(0, limit));
        }
    }

    /** Keys below the smallest one: descending, and in any other order. */
    @Test
    void keysMayComeInAnyOrder() {
        for (int seed = 0; seed < 50; seed++) {
            List<String> keys = new ArrayList<>(
                    IntStream.range(0, 2_000).mapToObj(i -> "k" + i).sorted().toList());
            Collections.reverse(keys);
            if (seed > 0) {
                Collections.shuffle(keys, new Random(seed));
            }
            KvTree.Editor editor = KvTree.EMPTY.edit();
            TreeMap<String, Document> model = new TreeMap<>();
            for (String key : keys) {
                editor.put(key, document(key, 1), 1);
                editor.put(key, document(key, 2), 0);
                model.put(key, document(key, 2));
            }
            KvTree tree = editor.tree();
            assertThat(tree.size()).as("seed %s", seed).isEqualTo(keys.size());
            assertThat(from(tree, "")).as("seed %s", seed).containsExactlyElementsOf(model.values());
            keys.forEach(key -> assertThat(tree.get(key)).isEqualTo(model.get(key)));
            keys.forEach(key -> editor.remove(key, 1));
            assertThat(editor.tree().size()).as("seed %s", seed).isZero();
        }
    }

    @Test
    void everythingGoesAndComesBack() {
        KvTree.Editor editor = KvTree.EMPTY.edit();
        for (int i = 0; i < 5_000; i++) {
            editor.put("k" + i, document("k" + i, i), 1);
        }
        for (int i = 0; i < 5_000; i++) {
            editor.remove("k" + i, 1);
        }
        KvTree none = editor.tree();
        assertThat(none.size()).isZero();
        assertThat(from(none, "")).isEmpty();
        KvTree.Editor again = none.edit();
        again.put("x", document("x", 1), 1);
        assertThat(from(again.tree(), "")).hasSize(1);
    }

    @Test
    void aViewStaysAsItIs() {
        KvActor actor = KvActor.of(
                IntStream.range(0, 50_000).mapToObj(i -> document("k" + i, i)).toList());
        KvActor view = actor.snapshot();
        KvUpdateFunctions.PUT.update(actor, new UpdateContext(1), List.of(document("k7", -1)));
        assertThat(view.get("tk7").orElseThrow().fields()).containsEntry("v", 7L);
        assertThat(actor.get("tk7").orElseThrow().fields()).containsEntry("v", -1L);
        assertThat(view.get("tk8").orElseThrow()).isSameAs(actor.get("tk8").orElseThrow());
        assertThat(view.usage().rows()).isEqualTo(50_000);
    }

    @Test
    void nobodySeesAPartOfAnUpdate() {
        KvActor actor = KvActor.of(List.of());
        actor.update(() -> {
            actor.put(document("a", 1));
            assertThat(actor.get("ta")).isEmpty();
            assertThat(actor.getInUpdate("ta")).isPresent();
        });
        assertThat(actor.get("ta")).isPresent();
    }
}
