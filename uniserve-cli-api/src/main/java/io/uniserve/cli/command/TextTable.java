package io.uniserve.cli.command;

import java.util.ArrayList;
import java.util.List;

/** Table for people: column widths fit the content, numbers are right-aligned, two spaces separate columns. */
public final class TextTable {
    private final List<String> header;
    private final List<List<String>> rows = new ArrayList<>();

    public TextTable(String... header) {
        this.header = List.of(header);
    }

    /** Adds a row, one cell per column. */
    public void row(Object... cells) {
        if (cells.length != header.size()) {
            throw new IllegalArgumentException(cells.length + " cells for " + header.size() + " columns");
        }
        List<String> row = new ArrayList<>();
        for (Object cell : cells) {
            row.add(cell.toString());
        }
        rows.add(row);
    }

    /** Returns the lines, header first. */
    public List<String> lines() {
        int[] widths = new int[header.size()];
        boolean[] right = new boolean[header.size()];
        for (int i = 0; i < widths.length; i++) {
            widths[i] = width(i);
            right[i] = numeric(i);
        }
        List<String> lines = new ArrayList<>();
        lines.add(line(header, widths, right));
        rows.forEach(row -> lines.add(line(row, widths, right)));
        return lines;
    }

    /** Prints the lines. */
    public void print(Console console) {
        lines().forEach(console::println);
    }

    private static String line(List<String> cells, int[] widths, boolean[] right) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < cells.size(); i++) {
            String space = " ".repeat(widths[i] - cells.get(i).length());
            line.append(right[i] ? space + cells.get(i) : cells.get(i) + space).append("  ");
        }
        return line.toString().stripTrailing();
    }

    private int width(int column) {
        int width = header.get(column).length();
        for (List<String> row : rows) {
            width = Math.max(width, row.get(column).length());
        }
        return width;
    }

    /** True if every cell of the column is a number, optionally with a unit, or unknown. */
    private boolean numeric(int column) {
        boolean any = rows.stream().anyMatch(row -> !row.get(column).matches("-|NULL"));
        return any && rows.stream().allMatch(row -> row.get(column).matches("-|NULL|-?[0-9][0-9,.]*( [a-zA-Z%]+)?"));
    }
}
