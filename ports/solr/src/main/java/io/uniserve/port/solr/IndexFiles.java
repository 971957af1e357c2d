package io.uniserve.port.solr;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.lucene.codecs.CodecUtil;
import org.apache.lucene.index.SegmentInfos;
import org.apache.lucene.store.ChecksumIndexInput;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.NoLockFactory;

/** Files of an index, outside Solr. Lucene never changes a file once written, so links do where copies would. */
final class IndexFiles {
    private IndexFiles() {}

    /** Links the named files; copies those that cannot be linked, as across file systems. */
    static void link(Path from, Collection<String> names, Path to) throws IOException {
        for (String name : names) {
            try {
                Files.createLink(to.resolve(name), from.resolve(name));
            } catch (FileSystemException | UnsupportedOperationException e) {
                Files.copy(from.resolve(name), to.resolve(name));
            }
        }
    }

    /** Checks a checkpoint, every byte of every file of its newest commit, and links it to where a core will open it. */
    static void restore(Path checkpoint, Path index) {
        Collection<String> names = verified(checkpoint);
        try {
            Files.createDirectories(index);
            link(checkpoint, names, index);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot restore index files to " + index, e);
        }
    }

    private static Collection<String> verified(Path checkpoint) {
        try (Directory directory = FSDirectory.open(checkpoint, NoLockFactory.INSTANCE)) {
            Collection<String> names = SegmentInfos.readLatestCommit(directory).files(true);
            for (String name : names) {
                try (ChecksumIndexInput in = directory.openChecksumInput(name, IOContext.READONCE)) {
                    in.seek(in.length() - CodecUtil.footerLength());
                    CodecUtil.checkFooter(in);
                }
            }
            return names;
        } catch (IOException | IllegalArgumentException | IllegalStateException e) {
            throw new UniserveException(
                    ErrorCode.CORRUPT, "index files in " + checkpoint + " are damaged: " + SolrFailure.message(e), e);
        }
    }

    /** Deletes a directory and all in it; one that is not there is fine. */
    static void delete(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> tree = Files.walk(directory)) {
                List<Path> deepestFirst = tree.sorted(Comparator.reverseOrder()).toList();
                for (Path path : deepestFirst) {
                    Files.deleteIfExists(path);
                }
            }
        }
    }
}
