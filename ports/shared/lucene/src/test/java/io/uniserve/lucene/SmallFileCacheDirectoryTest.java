package io.uniserve.lucene;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexCommit;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.KeepOnlyLastCommitDeletionPolicy;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.index.SnapshotDeletionPolicy;
import org.apache.lucene.index.Term;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexOutput;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SmallFileCacheDirectoryTest {
    private static final int MEGABYTE = 1 << 20;

    @TempDir
    Path disk;

    private List<String> onDisk() throws IOException {
        try (Stream<Path> files = Files.list(disk)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    private static void add(IndexWriter writer, String id, String text) throws IOException {
        Document document = new Document();
        document.add(new StringField("id", id, Field.Store.YES));
        document.add(new StoredField("text", text));
        writer.updateDocument(new Term("id", id), document);
    }

    private static IndexWriter writer(Directory directory, SnapshotDeletionPolicy policy) throws IOException {
        return new IndexWriter(
                directory,
                new IndexWriterConfig()
                        .setIndexDeletionPolicy(policy)
                        .setMergePolicy(NoMergePolicy.INSTANCE)
                        .setUseCompoundFile(false));
    }

    @Test
    void aSmallCommitMakesHardlyAnyFiles(@TempDir Path copy) throws IOException {
        SnapshotDeletionPolicy policy = new SnapshotDeletionPolicy(new KeepOnlyLastCommitDeletionPolicy());
        try (Directory directory = new SmallFileCacheDirectory(FSDirectory.open(disk));
                IndexWriter writer = writer(directory, policy)) {
            for (int i = 0; i < 3; i++) {
                add(writer, "a" + i, "x");
                add(writer, "b", "version " + i);
                writer.commit();
            }
            IndexCommit commit = policy.snapshot();
            Collection<String> names = commit.getFileNames();
            assertThat(names).hasSizeGreaterThan(20);
            assertThat(onDisk())
                    .as("three segments with their stored fields, a commit and the lock")
                    .filteredOn(name -> !name.matches(".*\\.(fdt|si)"))
                    .hasSize(2);
            assertThat(onDisk()).filteredOn(name -> name.endsWith(".si")).hasSize(3);
            assertThat(SmallFileCacheDirectory.written(commit)).isEqualTo(names);
            assertThat(onDisk()).containsAll(names);
            for (String name : names) {
                Files.copy(disk.resolve(name), copy.resolve(name));
            }
            policy.release(commit);
            add(writer, "c", "later");
            writer.commit();
            try (DirectoryReader now = DirectoryReader.open(directory)) {
                assertThat(now.numDocs()).isEqualTo(5);
            }
        }
        try (Directory copied = FSDirectory.open(copy);
                DirectoryReader reader = DirectoryReader.open(copied)) {
            assertThat(reader.numDocs()).isEqualTo(4);
        }
    }

    @Test
    void aLargeSegmentGoesToTheDiskAtOnce() throws IOException {
        SnapshotDeletionPolicy policy = new SnapshotDeletionPolicy(new KeepOnlyLastCommitDeletionPolicy());
        try (Directory directory = new SmallFileCacheDirectory(FSDirectory.open(disk));
                IndexWriter writer = writer(directory, policy)) {
            for (int i = 0; i < 60_000; i++) {
                add(writer, "a-row-with-a-key-of-some-length-" + i, "x");
            }
            writer.commit();
            assertThat(onDisk()).anyMatch(name -> name.endsWith(".tim")).anyMatch(name -> name.endsWith(".doc"));
        }
    }

    /** However many directories there are. */
    @Test
    void allOfThemTogetherTakeAShareOfTheHeap() throws IOException {
        long share = Runtime.getRuntime().maxMemory() / 16;
        int files = (int) (share / MEGABYTE) + 3;
        byte[] megabyte = new byte[MEGABYTE];
        List<Path> places = new ArrayList<>();
        List<Directory> all = new ArrayList<>();
        try {
            for (int i = 0; i < files; i++) {
                Path place = Files.createDirectory(disk.resolve("d" + i));
                Directory directory = new SmallFileCacheDirectory(FSDirectory.open(place));
                places.add(place);
                all.add(directory);
                try (IndexOutput out = directory.createOutput("_0.fnm", IOContext.DEFAULT)) {
                    out.writeBytes(megabyte, MEGABYTE);
                }
            }
            assertThat(places.get(0)).isEmptyDirectory();
            assertThat(places.get(files - 1)).isNotEmptyDirectory();
        } finally {
            for (Directory directory : all) {
                directory.close();
            }
        }
        Path last = Files.createDirectory(disk.resolve("after"));
        try (Directory directory = new SmallFileCacheDirectory(FSDirectory.open(last))) {
            directory.createOutput("_0.fnm", IOContext.DEFAULT).close();
            assertThat(last).as("closed ones take nothing").isEmptyDirectory();
        }
    }

    @Test
    void whatIsInMemoryOnlyGoesWhenItIsClosed() throws IOException {
        try (Directory directory = new SmallFileCacheDirectory(FSDirectory.open(disk))) {
            directory.createOutput("_0.fnm", IOContext.DEFAULT).close();
            assertThat(directory.listAll()).containsExactly("_0.fnm");
            directory.close();
        }
        assertThat(disk).isEmptyDirectory();
    }
}
