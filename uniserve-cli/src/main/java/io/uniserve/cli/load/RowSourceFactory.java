package io.uniserve.cli.load;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/** Factory of row sources by format. Files {@code .gz} are decompressed. */
public final class RowSourceFactory {
    private RowSourceFactory() {}

    /** Formats that can be loaded. */
    public enum Format {
        /** One JSON object per line. */
        JSONL,
        /** Comma-separated with a header line of field names. */
        CSV,
        /** Separated by tabs, with a header line of field names; quotes as in CSV. */
        TSV,
        /** Values separated by bars, in the order of the table's columns, as in TPC-H. */
        TBL,
        /** One row per line: the line's number as key, the line as field {@code text}. */
        TEXT,
        /** Solr's JSON updates: an array of documents, or commands. */
        JSON,
        /** Solr's XML updates. */
        XML
    }

    /** Returns the format by a file's name: .jsonl, .ndjson, .json, .csv, .tsv, .tbl, .txt, .xml, each with or without .gz. */
    public static Format formatOf(Path file) {
        String name = file.getFileName().toString().toLowerCase(Locale.ROOT).replaceFirst("\\.gz$", "");
        if (name.endsWith(".jsonl") || name.endsWith(".ndjson") || name.endsWith(".json")) {
            return Format.JSONL;
        }
        if (name.endsWith(".csv")) {
            return Format.CSV;
        }
        if (name.endsWith(".tsv")) {
            return Format.TSV;
        }
        if (name.matches(".*\\.tbl(\\.\\d+)?")) {
            return Format.TBL;
        }
        if (name.endsWith(".xml")) {
            return Format.XML;
        }
        if (name.endsWith(".txt")) {
            return Format.TEXT;
        }
        throw UniserveException.invalid("cannot determine the format of " + file
                + " by its name; give --format jsonl, csv, tsv, tbl, text, json or xml");
    }

    /** Opens a file for a table without columns, with this key field. */
    public static RowSource open(Path file, Format format, String keyField) {
        return open(file, format, keyField, Optional.empty());
    }

    /** Opens a file; {@code keyField} is the table's key field, {@code columns} its columns if it has any. */
    public static RowSource open(Path file, Format format, String keyField, Optional<ColumnSchema> columns) {
        try {
            return open(Files.newInputStream(file), file.toString(), format, keyField, columns);
        } catch (IOException e) {
            throw unreadable(file.toString(), e);
        }
    }

    /** Reads a stream, which is closed with the source; {@code name} is its name in messages. */
    public static RowSource open(
            InputStream stream, String name, Format format, String keyField, Optional<ColumnSchema> columns) {
        try {
            CountingInputStream counted = new CountingInputStream(stream);
            InputStream bytes = name.endsWith(".gz") ? new GZIPInputStream(counted, 1 << 16) : counted;
            InputStream in = format == Format.JSON || format == Format.XML ? bytes : ByteOrderMark.skip(bytes, name);
            return switch (format) {
                case JSONL -> new JsonLinesRowSource(name, keyField, in, counted);
                case CSV -> new CsvRowSource(name, keyField, columns, ',', in, counted);
                case TSV -> new CsvRowSource(name, keyField, columns, '\t', in, counted);
                case TBL ->
                    new PipeDelimitedRowSource(
                            name, keyField, columns.orElseThrow(RowSourceFactory::noColumns), in, counted);
                case TEXT -> new TextLineRowSource(name, keyField, in, counted);
                case JSON -> new SolrJsonRowSource(name, keyField, in, counted);
                case XML -> new SolrXmlRowSource(name, keyField, in, counted);
            };
        } catch (IOException e) {
            throw unreadable(name, e);
        }
    }

    private static UniserveException noColumns() {
        return UniserveException.invalid(
                "format tbl has no names of fields: load it into a table with option columns, or use another format");
    }

    private static UniserveException unreadable(String name, IOException e) {
        return new UniserveException(ErrorCode.INVALID_ARGUMENT, "cannot read " + name + ": " + e, e);
    }
}
