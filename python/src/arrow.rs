//! Columns of an Arrow stream, read through the C data interface.
//!
//! Any data frame that has `__arrow_c_stream__` gives such a stream: polars, pandas, pyarrow,
//! DuckDB. The structures are those of the specification; strings, numbers, booleans, dates and
//! their dictionaries are read, other types are marked as unsupported.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use lrbm::tables::{SourceColumn, Values};

/// A type with its name, as in the specification.
#[repr(C)]
struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Schema,
    dictionary: *mut Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private_data: *mut c_void,
}

/// An array, as in the specification.
#[repr(C)]
struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const c_void,
    children: *mut *mut Array,
    dictionary: *mut Array,
    release: Option<unsafe extern "C" fn(*mut Array)>,
    private_data: *mut c_void,
}

/// A stream of arrays, as in the specification.
#[repr(C)]
pub struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private_data: *mut c_void,
}

impl Drop for Schema {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: a structure that is not released yet is released once, by its own function.
            unsafe { release(self) }
        }
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: as for `Schema`.
            unsafe { release(self) }
        }
    }
}

const NO_SCHEMA: Schema = Schema {
    format: ptr::null(),
    name: ptr::null(),
    metadata: ptr::null(),
    flags: 0,
    n_children: 0,
    children: ptr::null_mut(),
    dictionary: ptr::null_mut(),
    release: None,
    private_data: ptr::null_mut(),
};

const NO_ARRAY: Array = Array {
    length: 0,
    null_count: 0,
    offset: 0,
    n_buffers: 0,
    n_children: 0,
    buffers: ptr::null(),
    children: ptr::null_mut(),
    dictionary: ptr::null_mut(),
    release: None,
    private_data: ptr::null_mut(),
};

/// Reads all columns of a stream of record batches.
///
/// # Safety
/// `stream` must point to an Arrow stream that is not released, as the capsule of
/// `__arrow_c_stream__` holds it.
///
/// # Errors
/// If the producer fails, or the stream is not one of record batches.
pub unsafe fn read(stream: *mut Stream) -> Result<Vec<SourceColumn>, String> {
    // SAFETY: the caller vouches for the stream; its functions are called as specified.
    unsafe {
        let (Some(get_schema), Some(get_next)) = ((*stream).get_schema, (*stream).get_next) else {
            return Err("the Arrow stream is released already".to_owned());
        };
        let mut schema = NO_SCHEMA;
        check(stream, get_schema(stream, &mut schema))?;
        if text(schema.format) != "+s" {
            return Err(format!("expected a stream of tables, got the Arrow type `{}`", text(schema.format)));
        }
        let fields: Vec<&Schema> = (0..schema.n_children as usize).map(|k| &**schema.children.add(k)).collect();
        let mut columns: Vec<Column> = fields.iter().map(|field| Column::new(field)).collect();
        loop {
            let mut batch = NO_ARRAY;
            check(stream, get_next(stream, &mut batch))?;
            if batch.release.is_none() {
                break;
            }
            if batch.n_children as usize != columns.len() {
                return Err(format!("a batch has {} columns, the schema {}", batch.n_children, columns.len()));
            }
            for (k, column) in columns.iter_mut().enumerate() {
                let rows = (batch.offset as usize, batch.length as usize);
                column.extend(&**batch.children.add(k), rows, fields[k])?;
            }
        }
        Ok(columns.into_iter().map(Column::finish).collect())
    }
}

/// Returns the producer's message if a call failed.
///
/// # Safety
/// As for [`read`].
unsafe fn check(stream: *mut Stream, code: c_int) -> Result<(), String> {
    if code == 0 {
        return Ok(());
    }
    // SAFETY: the stream is valid, and its message until the next call.
    let message = unsafe { (*stream).get_last_error.map(|last| text(last(stream))).unwrap_or_default() };
    Err(format!("the Arrow stream failed with code {code}: {message}"))
}

/// Returns a C string.
///
/// # Safety
/// It must be null or end with a zero byte.
unsafe fn text(string: *const c_char) -> String {
    if string.is_null() {
        return String::new();
    }
    // SAFETY: by the caller.
    unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned()
}

/// A column while it is read.
struct Column {
    name: String,
    values: Values,
}

impl Column {
    /// # Safety
    /// The field must be valid.
    unsafe fn new(field: &Schema) -> Self {
        // SAFETY: by the caller; a dictionary is valid as long as its field.
        let (name, format) = unsafe {
            let dictionary = field.dictionary.as_ref();
            (text(field.name), text(dictionary.map_or(field.format, |values| values.format)))
        };
        let values = match format.as_str() {
            "b" => Values::Boolean(Vec::new()),
            "c" | "C" | "s" | "S" | "i" | "I" | "l" | "L" => Values::Integer(Vec::new()),
            "f" | "g" => Values::Real(Vec::new()),
            "u" | "U" | "vu" | "n" => Values::Text(Vec::new()),
            format if days(format).is_some() => Values::Date(Vec::new()),
            other => Values::Unsupported { kind: format!("Arrow type `{other}`"), rows: 0 },
        };
        Column { name, values }
    }

    /// Appends the rows of a batch.
    ///
    /// # Safety
    /// The array must be valid and have the type of the field.
    unsafe fn extend(&mut self, array: &Array, (offset, length): (usize, usize), field: &Schema) -> Result<(), String> {
        // SAFETY: by the caller.
        let (values, format) = unsafe {
            match (array.dictionary.as_ref(), field.dictionary.as_ref()) {
                (Some(values), Some(schema)) => (Some(values), text(schema.format)),
                _ => (None, text(field.format)),
            }
        };
        if let Values::Unsupported { rows, .. } = &mut self.values {
            *rows += length;
            return Ok(());
        }
        let start = array.offset as usize + offset;
        for row in start..start + length {
            // SAFETY: the row is within the array; an index of a dictionary within its values.
            let cell = unsafe {
                match (is_valid(array, row), values) {
                    (false, _) => None,
                    (true, None) => Some((array, row)),
                    (true, Some(values)) => {
                        let index = integer(array, &text(field.format), row)?;
                        if !(0..values.length).contains(&index) {
                            return Err(format!("column `{}`: index {index} is outside its dictionary", self.name));
                        }
                        let at = values.offset as usize + index as usize;
                        is_valid(values, at).then_some((values, at))
                    }
                }
            };
            // SAFETY: the format is that of the array.
            unsafe { self.push(cell, &format) }.map_err(|problem| format!("column `{}`: {problem}", self.name))?;
        }
        Ok(())
    }

    /// # Safety
    /// The cell must be within its array, whose type the format is.
    unsafe fn push(&mut self, cell: Option<(&Array, usize)>, format: &str) -> Result<(), String> {
        // SAFETY: by the caller.
        unsafe {
            match &mut self.values {
                Values::Boolean(values) => values.push(cell.map(|(array, row)| bit(buffer(array, 1), row))),
                Values::Integer(values) => {
                    values.push(cell.map(|(array, row)| integer(array, format, row)).transpose()?)
                }
                // As in CSV, a value that is not a finite number is missing.
                Values::Real(values) => {
                    values.push(cell.map(|(array, row)| real(array, format, row)).filter(|value| value.is_finite()))
                }
                Values::Date(values) => {
                    let per_day = days(format).unwrap_or(1.0);
                    let read = |(array, row)| {
                        if format == "tdD" { integer(array, "i", row) } else { integer(array, "l", row) }
                    };
                    values.push(cell.map(read).transpose()?.map(|value| value as f64 / per_day));
                }
                Values::Text(values) => values.push(cell.map(|(array, row)| string(array, format, row)).transpose()?),
                Values::Unsupported { .. } => {}
            }
        }
        Ok(())
    }

    fn finish(self) -> SourceColumn {
        SourceColumn { name: self.name, values: self.values }
    }
}

/// Returns the number of units of a date or time in a day; `None` for other types.
fn days(format: &str) -> Option<f64> {
    const DAY: f64 = 86_400.0;
    match format.get(..3)? {
        "tdD" => Some(1.0),
        "tdm" | "tsm" => Some(DAY * 1e3),
        "tss" => Some(DAY),
        "tsu" => Some(DAY * 1e6),
        "tsn" => Some(DAY * 1e9),
        _ => None,
    }
}

/// Returns a buffer of an array.
///
/// # Safety
/// The array must have it.
unsafe fn buffer(array: &Array, index: usize) -> *const u8 {
    // SAFETY: by the caller.
    unsafe { (*array.buffers.add(index)).cast() }
}

/// Returns a number of a buffer.
///
/// # Safety
/// The buffer must have so many numbers of this type.
unsafe fn number<T: Copy>(buffer: *const u8, index: usize) -> T {
    // SAFETY: by the caller; the buffer may be unaligned.
    unsafe { buffer.cast::<T>().add(index).read_unaligned() }
}

/// Returns a bit of a bitmap.
///
/// # Safety
/// The bitmap must have so many bits.
unsafe fn bit(bitmap: *const u8, index: usize) -> bool {
    // SAFETY: by the caller.
    unsafe { *bitmap.add(index / 8) >> (index % 8) & 1 == 1 }
}

/// # Safety
/// The row must be within the array.
unsafe fn is_valid(array: &Array, row: usize) -> bool {
    if array.n_buffers == 0 {
        // An array of nulls has no buffers.
        return false;
    }
    // SAFETY: the first buffer is the bitmap of valid rows, or null if all are.
    unsafe {
        let bitmap = buffer(array, 0);
        bitmap.is_null() || bit(bitmap, row)
    }
}

/// # Safety
/// The row must be within the array, and the format that of an integer type of the array.
unsafe fn integer(array: &Array, format: &str, row: usize) -> Result<i64, String> {
    // SAFETY: by the caller.
    unsafe {
        let values = buffer(array, 1);
        Ok(match format {
            "c" => number::<i8>(values, row).into(),
            "C" => number::<u8>(values, row).into(),
            "s" => number::<i16>(values, row).into(),
            "S" => number::<u16>(values, row).into(),
            "i" => number::<i32>(values, row).into(),
            "I" => number::<u32>(values, row).into(),
            "L" => i64::try_from(number::<u64>(values, row))
                .map_err(|_| "an integer beyond 64 bits with sign: give the column as text".to_owned())?,
            _ => number::<i64>(values, row),
        })
    }
}

/// # Safety
/// The row must be within the array, and the format that of its floating-point type.
unsafe fn real(array: &Array, format: &str, row: usize) -> f64 {
    // SAFETY: by the caller.
    unsafe {
        match format {
            "f" => number::<f32>(buffer(array, 1), row).into(),
            _ => number::<f64>(buffer(array, 1), row),
        }
    }
}

/// # Safety
/// The row must be within the array, and the format that of its string type.
unsafe fn string(array: &Array, format: &str, row: usize) -> Result<String, String> {
    // SAFETY: offsets and views lie within the buffers of the array.
    let bytes = unsafe {
        let values = buffer(array, 1);
        let (start, length) = match format {
            "u" => {
                let [from, to] = [row, row + 1].map(|at| number::<i32>(values, at) as usize);
                (buffer(array, 2).add(from), to - from)
            }
            "U" => {
                let [from, to] = [row, row + 1].map(|at| number::<i64>(values, at) as usize);
                (buffer(array, 2).add(from), to - from)
            }
            // A view: its length, then the text itself, or its start, buffer and offset.
            _ => {
                let view = values.add(16 * row);
                let length = number::<i32>(view, 0) as usize;
                if length <= 12 {
                    (view.add(4), length)
                } else {
                    let [index, offset] = [2, 3].map(|part| number::<i32>(view, part) as usize);
                    (buffer(array, 2 + index).add(offset), length)
                }
            }
        };
        if length == 0 { &[][..] } else { std::slice::from_raw_parts(start, length) }
    };
    let text = std::str::from_utf8(bytes).map_err(|error| format!("a text is not UTF-8: {error}"))?;
    Ok(text.to_owned())
}
