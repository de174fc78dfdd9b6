//! A page of a PDF as pixels, for models and people that look at it.
//!
//! Paths, text and images are drawn as the file says. Patterns and shadings
//! are plain grey, and soft masks are left out; both are noted.

use std::rc::Rc;

use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::kurbo::{Affine, BezPath, Cap, Join, PathEl, Rect, Vec2};
use hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, FillRule, Image, ImageData, ImageDrawProps,
    InterpreterCache, InterpreterSettings, LumaData, Paint, SoftMask, StrokeProps, interpret_page,
};
use tiny_skia::{
    FilterQuality, LineCap, LineJoin, Mask, Path, PathBuilder, Pixmap, PixmapPaint, Stroke, StrokeDash,
    Transform,
};

use crate::documents::limits::ReadError;
use crate::documents::pdf::refusal::refusal;
use crate::documents::picture::raster::Raster;

/// Clips inside one another that are followed; deeper ones clip no further.
const DEEPEST: usize = 64;
/// Points a pixel at most: a page is enlarged no further.
const LARGEST_SCALE: f64 = 8.0;
/// The grey of a pattern that is not drawn.
const PATTERN: [u8; 4] = [176, 176, 176, 255];

/// A page that was drawn.
#[derive(Debug)]
pub struct Drawn {
    pub raster: Raster,
    /// Pages of the document.
    pub pages: u32,
    pub notes: Vec<String>,
}

/// Draws a page, from 1, with its longer side `side` pixels long.
///
/// A page without text costs as much as its images; call this in a helper
/// process where the file is not trusted.
///
/// # Errors
/// A damaged or encrypted document, a page that it has not, or one too large to draw.
pub fn page(content: Vec<u8>, number: u32, side: u32) -> Result<Drawn, ReadError> {
    let pdf = Pdf::new(content).map_err(refusal)?;
    let pages = u32::try_from(pdf.pages().len()).unwrap_or(u32::MAX);
    let page = (number as usize)
        .checked_sub(1)
        .and_then(|at| pdf.pages().get(at))
        .ok_or_else(|| ReadError::Unsupported(format!("page {number}; the document has {pages} pages")))?;
    let (width, height) = page.render_dimensions();
    let scale = (f64::from(side) / f64::from(width.max(height)).max(1.0)).min(LARGEST_SCALE);
    let (raster, approximated) = at_scale(&pdf, page, &InterpreterCache::new(), scale)?;
    let mut notes = Vec::new();
    if approximated > 0 {
        notes.push(format!(
            "{approximated} patterns, shadings or soft masks of the page are drawn plainly."
        ));
    }
    Ok(Drawn { raster, pages, notes })
}

/// Draws a page with `scale` pixels a point; how many of its parts are drawn plainly.
///
/// # Errors
/// A page too large to draw.
pub fn at_scale<'a>(
    pdf: &'a Pdf,
    page: &Page<'a>,
    cache: &InterpreterCache<'a>,
    scale: f64,
) -> Result<(Raster, u32), ReadError> {
    let (width, height) = page.render_dimensions();
    let pixels = |length: f32| ((f64::from(length) * scale).round() as u32).max(1);
    let (across, down) = (pixels(width), pixels(height));
    let pixmap = Pixmap::new(across, down)
        .ok_or_else(|| ReadError::Unsupported(format!("a page of {width} × {height} points")))?;
    let mut drawing = Drawing::new(pixmap);
    let [a, b, c, d, e, f] = page.initial_transform(true).as_coeffs();
    let mut context = Context::new(
        Affine::scale(scale) * Affine::new([a, b, c, d, e, f]),
        Rect::new(0.0, 0.0, f64::from(across), f64::from(down)),
        cache,
        pdf.xref(),
        InterpreterSettings::default(),
    );
    interpret_page(page, &mut context, &mut drawing);
    Ok((Raster::of_opaque(&drawing.pixmap), drawing.approximated))
}

/// The page as far as it is drawn.
struct Drawing {
    pixmap: Pixmap,
    /// The clip in force is the last.
    clips: Vec<Option<Rc<Mask>>>,
    /// Opacity of each open group, with those around it.
    groups: Vec<f32>,
    approximated: u32,
}

impl Drawing {
    fn new(mut pixmap: Pixmap) -> Self {
        pixmap.fill(tiny_skia::Color::WHITE);
        Self {
            pixmap,
            clips: Vec::new(),
            groups: Vec::new(),
            approximated: 0,
        }
    }

    fn paint(&mut self, props: &DrawProps<'_>) -> tiny_skia::Paint<'static> {
        if props.soft_mask.is_some() {
            self.approximated += 1;
        }
        let [red, green, blue, alpha] = self.colour(&props.paint);
        let mut paint = tiny_skia::Paint {
            blend_mode: blend(props.blend_mode),
            anti_alias: true,
            ..tiny_skia::Paint::default()
        };
        let alpha = f32::from(alpha) * self.opacity();
        paint.set_color_rgba8(red, green, blue, alpha.round() as u8);
        paint
    }

    fn colour(&mut self, paint: &Paint<'_>) -> [u8; 4] {
        match paint {
            Paint::Color(colour) => colour.to_rgba().to_rgba8(),
            Paint::Pattern(_) => {
                self.approximated += 1;
                PATTERN
            }
        }
    }

    fn opacity(&self) -> f32 {
        self.groups.last().copied().unwrap_or(1.0)
    }

    fn fill(&mut self, path: &BezPath, transform: Affine, rule: FillRule, props: &DrawProps<'_>) {
        let paint = self.paint(props);
        let Some(path) = flattened(path, transform) else {
            return;
        };
        let clip = self.clips.last().cloned().flatten();
        self.pixmap.fill_path(
            &path,
            &paint,
            fill_rule(rule),
            Transform::identity(),
            clip.as_deref(),
        );
    }

    fn stroke(&mut self, path: &BezPath, transform: Affine, stroke: &StrokeProps, props: &DrawProps<'_>) {
        let paint = self.paint(props);
        let Some(path) = flattened(path, transform) else {
            return;
        };
        let scale = transform.determinant().abs().sqrt() as f32;
        let dashes: Vec<f32> = stroke.dash_array.iter().map(|dash| dash * scale).collect();
        let stroke = Stroke {
            // The thinnest line is one that can be seen.
            width: (stroke.line_width * scale).max(0.7),
            miter_limit: stroke.miter_limit.max(1.0),
            line_cap: match stroke.line_cap {
                Cap::Butt => LineCap::Butt,
                Cap::Square => LineCap::Square,
                Cap::Round => LineCap::Round,
            },
            line_join: match stroke.line_join {
                Join::Bevel => LineJoin::Bevel,
                Join::Miter => LineJoin::Miter,
                Join::Round => LineJoin::Round,
            },
            dash: even(dashes).and_then(|dashes| StrokeDash::new(dashes, stroke.dash_offset * scale)),
        };
        let clip = self.clips.last().cloned().flatten();
        self.pixmap
            .stroke_path(&path, &paint, &stroke, Transform::identity(), clip.as_deref());
    }

    fn path(&mut self, path: &BezPath, transform: Affine, mode: &DrawMode, props: &DrawProps<'_>) {
        match mode {
            DrawMode::Fill(rule) => self.fill(path, transform, *rule, props),
            DrawMode::Stroke(stroke) => self.stroke(path, transform, stroke, props),
            DrawMode::FillAndStroke(rule, stroke) => {
                self.fill(path, transform, *rule, props);
                self.stroke(path, transform, stroke, props);
            }
            DrawMode::Invisible => {}
        }
    }

    /// Draws colours with an opacity each, in the frame of their pixels.
    fn raster(&mut self, colours: &Raster, opacity: Option<&Raster>, transform: Affine, mode: BlendMode) {
        let Some(mut image) = Pixmap::new(colours.width, colours.height) else {
            return;
        };
        let colour = |at: usize, channel: usize| {
            let at = if colours.channels == 1 {
                at
            } else {
                at * 3 + channel
            };
            colours.data.get(at).copied().unwrap_or(255)
        };
        for (at, pixel) in image.pixels_mut().iter_mut().enumerate() {
            let alpha = opacity.map_or(255, |opacity| opacity.data.get(at).copied().unwrap_or(255));
            *pixel = tiny_skia::ColorU8::from_rgba(colour(at, 0), colour(at, 1), colour(at, 2), alpha)
                .premultiply();
        }
        let paint = PixmapPaint {
            opacity: self.opacity(),
            blend_mode: blend(mode),
            quality: FilterQuality::Bilinear,
        };
        let [a, b, c, d, e, f] = transform.as_coeffs().map(|value| value as f32);
        let transform = Transform::from_row(a, b, c, d, e, f);
        if !transform.is_valid() {
            return;
        }
        let clip = self.clips.last().cloned().flatten();
        self.pixmap
            .draw_pixmap(0, 0, image.as_ref(), &paint, transform, clip.as_deref());
    }

    /// Shrinks an image to about the pixels that it covers, so that fine lines stay.
    fn placed(raster: Raster, transform: Affine) -> (Raster, Affine) {
        let [a, b, c, d, ..] = transform.as_coeffs();
        let (across, down) = (Vec2::new(a, b).hypot(), Vec2::new(c, d).hypot());
        let (width, height) = (f64::from(raster.width), f64::from(raster.height));
        let side = (across * width).max(down * height).ceil().clamp(1.0, 16_384.0);
        let small = raster.shrunk(side as u32);
        let back = Affine::scale_non_uniform(
            width / f64::from(small.width.max(1)),
            height / f64::from(small.height.max(1)),
        );
        (small, transform * back)
    }
}

/// The transform of an image whose pixels were scaled by these factors.
fn scaled(transform: Affine, x: f32, y: f32) -> Affine {
    transform * Affine::scale_non_uniform(f64::from(x), f64::from(y))
}

impl<'a> Device<'a> for Drawing {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        self.path(path, props.transform, mode, &props);
    }

    fn push_clip_path(&mut self, clip: &ClipPath) {
        let outer = self.clips.last().cloned().flatten();
        if self.clips.len() >= DEEPEST {
            self.clips.push(outer);
            return;
        }
        let path = flattened(&clip.path, Affine::IDENTITY);
        let mut mask = match outer {
            Some(outer) => (*outer).clone(),
            None => match Mask::new(self.pixmap.width(), self.pixmap.height()) {
                Some(mut mask) => {
                    mask.data_mut().fill(255);
                    mask
                }
                None => return self.clips.push(None),
            },
        };
        match path {
            Some(path) => mask.intersect_path(&path, fill_rule(clip.fill), true, Transform::identity()),
            // An empty clip shows nothing.
            None => mask.clear(),
        }
        self.clips.push(Some(Rc::new(mask)));
    }

    fn push_transparency_group(&mut self, opacity: f32, mask: Option<SoftMask<'a>>, _: BlendMode) {
        self.approximated += u32::from(mask.is_some());
        self.groups.push(self.opacity() * opacity.clamp(0.0, 1.0));
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        for glyph in run.glyphs() {
            match &**glyph {
                Glyph::Outline(outline) => {
                    let outline = glyph.transform() * outline.outline();
                    self.path(&outline, props.transform, mode, &props);
                }
                Glyph::Type3(drawn) if !matches!(mode, DrawMode::Invisible) => {
                    drawn.interpret(self, props.transform, glyph.transform(), &props.paint);
                }
                Glyph::Type3(_) => {}
            }
        }
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        self.approximated += u32::from(props.soft_mask.is_some());
        let target = {
            let [a, b, c, d, ..] = props.transform.as_coeffs();
            let pixels = |stride: f64, length: u32| (stride * f64::from(length)).ceil().clamp(1.0, 16_384.0);
            Some((
                pixels(Vec2::new(a, b).hypot(), image.width()) as u32,
                pixels(Vec2::new(c, d).hypot(), image.height()) as u32,
            ))
        };
        match image {
            Image::Raster(raster) => raster.with_rgba(
                |data, alpha| {
                    let (x, y) = data.scale_factors();
                    let colours = raster_of_image(data);
                    let (colours, transform) = Self::placed(colours, scaled(props.transform, x, y));
                    // A mask has pixels of its own, and is brought to those of the colours.
                    let alpha =
                        alpha.map(|alpha| raster_of_luma(alpha).sampled(colours.width, colours.height));
                    self.raster(&colours, alpha.as_ref(), transform, props.blend_mode);
                },
                target,
            ),
            Image::Stencil(stencil) => stencil.with_stencil(
                |luma, paint| {
                    let [red, green, blue, _] = self.colour(paint);
                    let (x, y) = luma.scale_factors;
                    let transform = scaled(props.transform, x, y);
                    let (opacity, transform) = Self::placed(raster_of_luma(luma), transform);
                    let colours = Raster {
                        width: opacity.width,
                        height: opacity.height,
                        channels: 3,
                        data: [red, green, blue].repeat(opacity.data.len()),
                    };
                    self.raster(&colours, Some(&opacity), transform, props.blend_mode);
                },
                target,
            ),
        }
    }

    fn pop_clip(&mut self) {
        self.clips.pop();
    }

    fn pop_transparency_group(&mut self) {
        self.groups.pop();
    }
}

fn raster_of_image(data: ImageData) -> Raster {
    match data {
        ImageData::Rgb(rgb) => Raster {
            width: rgb.width,
            height: rgb.height,
            channels: 3,
            data: rgb.data,
        },
        ImageData::Luma(luma) => raster_of_luma(luma),
    }
}

fn raster_of_luma(luma: LumaData) -> Raster {
    Raster {
        width: luma.width,
        height: luma.height,
        channels: 1,
        data: luma.data,
    }
}

/// Dashes and gaps in pairs, as the rasteriser wants them.
fn even(mut dashes: Vec<f32>) -> Option<Vec<f32>> {
    if dashes.len() % 2 == 1 {
        dashes.extend_from_within(..);
    }
    (!dashes.is_empty()).then_some(dashes)
}

fn fill_rule(rule: FillRule) -> tiny_skia::FillRule {
    match rule {
        FillRule::NonZero => tiny_skia::FillRule::Winding,
        FillRule::EvenOdd => tiny_skia::FillRule::EvenOdd,
    }
}

fn blend(mode: BlendMode) -> tiny_skia::BlendMode {
    match mode {
        BlendMode::Multiply => tiny_skia::BlendMode::Multiply,
        BlendMode::Screen => tiny_skia::BlendMode::Screen,
        BlendMode::Overlay => tiny_skia::BlendMode::Overlay,
        BlendMode::Darken => tiny_skia::BlendMode::Darken,
        BlendMode::Lighten => tiny_skia::BlendMode::Lighten,
        BlendMode::Difference => tiny_skia::BlendMode::Difference,
        _ => tiny_skia::BlendMode::SourceOver,
    }
}

/// A path in pixels; none where it is empty or has no finite extent.
fn flattened(path: &BezPath, transform: Affine) -> Option<Path> {
    let mut builder = PathBuilder::new();
    for element in (transform * path).elements() {
        match *element {
            PathEl::MoveTo(to) => builder.move_to(to.x as f32, to.y as f32),
            PathEl::LineTo(to) => builder.line_to(to.x as f32, to.y as f32),
            PathEl::QuadTo(by, to) => builder.quad_to(by.x as f32, by.y as f32, to.x as f32, to.y as f32),
            PathEl::CurveTo(by, and, to) => builder.cubic_to(
                by.x as f32,
                by.y as f32,
                and.x as f32,
                and.y as f32,
                to.x as f32,
                to.y as f32,
            ),
            PathEl::ClosePath => builder.close(),
        }
    }
    builder.finish()
}
