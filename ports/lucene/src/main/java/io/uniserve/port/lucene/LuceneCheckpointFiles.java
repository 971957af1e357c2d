package io.uniserve.port.lucene;

import io.uniserve.api.EngineErrorMapper;
import io.uniserve.api.extra.ActorFileLinker;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Optional;
import org.apache.lucene.codecs.CodecUtil;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.SegmentInfos;
import org.apache.lucene.store.AlreadyClosedException;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.NoLockFactory;

/** Files of an index. Lucene never changes a written file, so hard links replace copies. */
final class LuceneCheckpointFiles {
    /** Calls into Lucene; an index that is closed under a query is not a failure of Lucene. */
    static final EngineErrorMapper LUCENE = new EngineErrorMapper(
            "Lucene",
            failure ->
                    failure instanceof AlreadyClosedException ? Optional.of(ErrorCode.UNAVAILABLE) : Optional.empty());

    private LuceneCheckpointFiles() {}

    /** Checks every file of a checkpoint by Lucene's checksums and links it into the directory of the new index. */
    static void restore(Path checkpoint, Path scratch) {
        LUCENE.call("restore an index", () -> ActorFileLinker.link(checkpoint, verify(checkpoint), scratch));
    }

    private static Collection<String> verify(Path checkpoint) {
        try (Directory directory = FSDirectory.open(checkpoint, NoLockFactory.INSTANCE)) {
            Collection<String> names = SegmentInfos.readLatestCommit(directory).files(true);
            for (String name : names) {
                try (IndexInput in = directory.openInput(name, IOContext.READONCE)) {
                    CodecUtil.checksumEntireFile(in);
                }
            }
            return names;
        } catch (IOException | IllegalArgumentException | IllegalStateException e) {
            String message = "index files in " + checkpoint + " are damaged: " + PrintableText.line(e.getMessage());
            throw new UniserveException(ErrorCode.CORRUPT, message, e);
        }
    }

    /** Returns the size of the files of a reader's commit in bytes. */
    static long bytes(IndexReader reader) throws IOException {
        DirectoryReader index = (DirectoryReader) reader;
        long bytes = 0;
        for (String name : index.getIndexCommit().getFileNames()) {
            bytes += index.directory().fileLength(name);
        }
        return bytes;
    }
}
